/* Part of Tenon, under the Apache License v2.0.
 *
 * Tenon's runtime for programs in C, and for bindings: loads a compiled program
 * (`tenon compile`) and runs it on a device.
 *
 *   tenon_program *program;
 *   tenon_session *session;
 *   if (tenon_program_load("net.tenon", &program) != TENON_OK ||
 *       tenon_session_create(program, "functional", &session) != TENON_OK)
 *     fprintf(stderr, "%s\n", tenon_last_error());
 *
 * Owner: who gets a handle releases it; a session keeps what it needs of its
 * program, so the two are released in any order. Arrays and strings that are
 * passed in stay the caller's and are not kept.
 *
 * Threads: a program may be used by all threads at once. A session is used by
 * one thread at a time; sessions of one program run at the same time, each with
 * a device of its own. What a program computes on this machine's processor is
 * shared by threads of one pool (tenon_set_threads); of sessions that run at
 * the same time one has it, the others compute in the threads that they are run
 * in. Results are the same bits for any number of threads, and for any
 * floating-point environment of the thread that runs the session (rounding,
 * flushing to zero, traps), which comes back as it was.
 *
 * Errors: a call that can fail returns a tenon_status; tenon_last_error says
 * what was expected, what was found and where. After an error the results are
 * unspecified and all handles stay valid. Nothing is thrown.
 *
 * Host code that a program carries is native code. It is loaded where this user
 * compiled the program, which its digest says (docs/trust.md); that of others
 * only where tenon_load_options says that it is trusted.
 *
 * Stability: within one TENON_API_VERSION functions are only added.
 */

#ifndef TENON_H
#define TENON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_API __attribute__((visibility("default")))

#define TENON_API_VERSION 1

typedef enum tenon_status {
  TENON_OK = 0,
  TENON_INVALID_ARGUMENT = 1,    /* an argument, a file or a program is bad */
  TENON_NOT_FOUND = 2,           /* a file or a device is not there */
  TENON_OUT_OF_RANGE = 3,        /* an index or an offset */
  TENON_RESOURCE_EXHAUSTED = 4,  /* memory, or the cycles of a launch */
  TENON_FAILED_PRECONDITION = 5, /* hardware or a tool is missing or another */
  TENON_ABORTED = 6,             /* a launch makes no progress, or was stopped */
  TENON_UNAVAILABLE = 7,         /* a device does not answer */
  TENON_DEADLINE_EXCEEDED = 8,   /* a device answered too late */
  TENON_UNIMPLEMENTED = 9,       /* this build or device cannot do it */
  TENON_BUFFER_TOO_SMALL = 10,   /* the size that is needed is in the message */
  TENON_INTERNAL = 11,           /* a defect of Tenon */
  TENON_UNTRUSTED = 12           /* host code that another user compiled */
} tenon_status;

/* Formats are ONNX's. An element takes whole bytes: one of fewer than eight
 * bits takes one, sign- or zero-extended; a bool is 0 or 1. Any other byte in
 * an input of such a type is an INVALID_ARGUMENT. */
typedef enum tenon_type {
  TENON_INT8 = 1,
  TENON_UINT8 = 2,
  TENON_INT32 = 3,
  TENON_FLOAT32 = 4,
  TENON_INT64 = 5,
  TENON_BOOL = 6,
  TENON_INT16 = 7,
  TENON_UINT16 = 8,
  TENON_UINT32 = 9,
  TENON_UINT64 = 10,
  TENON_FLOAT16 = 11,
  TENON_BFLOAT16 = 12,
  TENON_FLOAT64 = 13,
  TENON_INT4 = 14,
  TENON_UINT4 = 15,
  TENON_INT2 = 16,
  TENON_UINT2 = 17,
  TENON_FLOAT8E4M3FN = 18,
  TENON_FLOAT8E4M3FNUZ = 19,
  TENON_FLOAT8E5M2 = 20,
  TENON_FLOAT8E5M2FNUZ = 21,
  TENON_FLOAT8E8M0 = 22,
  TENON_FLOAT4E2M1 = 23
} tenon_type;

typedef struct tenon_program tenon_program;
typedef struct tenon_session tenon_session;

/* What a program takes or gives. All pointers live as long as the program. */
typedef struct tenon_info {
  const char *name; /* of the network's tensor */
  tenon_type type;
  size_t rank;
  const int64_t *shape;       /* `rank` extents, 0 where one is open */
  const char *const *symbols; /* `rank` names of open dimensions, "" if fixed,
                                 "?" where only the run tells (outputs) */
  double scale;               /* (value - zero_point) * scale is meant; */
  int32_t zero_point;         /* a scale of 0: not known */
} tenon_info;

/* A dense row-major array in the caller's memory, aligned to its element. */
typedef struct tenon_array {
  void *data;
  size_t bytes; /* that `data` has room for */
  tenon_type type;
  size_t rank;
  const int64_t *shape;
} tenon_array;

/* TENON_API_VERSION of the library; compare it with the header's. */
TENON_API uint32_t tenon_api_version(void);

/* "0.1.0". */
TENON_API const char *tenon_version(void);

/* How many threads of this process compute at a time in one session; 0: as many
 * as processors that the process may run on, which is the default.
 * INVALID_ARGUMENT: more than 4096. */
TENON_API tenon_status tenon_set_threads(unsigned threads);

/* Whether threads that Tenon starts from now on stay on processors of their
 * own (1) or move as the system likes (0, the default). The threads that call
 * Tenon are left alone. INVALID_ARGUMENT: another number. */
TENON_API tenon_status tenon_set_pinned(int is_pinned);

/* What went wrong in this thread's last call that failed; "" if none did. Lives
 * until the thread's next call. */
TENON_API const char *tenon_last_error(void);

/* How a program is loaded; of all that is zero the default. */
typedef struct tenon_load_options {
  size_t size;         /* sizeof(tenon_load_options): later ones are longer */
  int trust_host_code; /* not 0: load host code whoever compiled it, which can
                          do all that this process can */
} tenon_load_options;

/* Reads, checks and loads the file `path`. UNTRUSTED: it has host code that
 * this user has not compiled. */
TENON_API tenon_status tenon_program_load(const char *path,
                                          tenon_program **program);

/* The same of a file's contents in memory. */
TENON_API tenon_status tenon_program_load_memory(const void *data, size_t bytes,
                                                 tenon_program **program);

/* The same with options; null stands for the defaults. */
TENON_API tenon_status
tenon_program_load_with(const char *path, const tenon_load_options *options,
                        tenon_program **program);
TENON_API tenon_status tenon_program_load_memory_with(
    const void *data, size_t bytes, const tenon_load_options *options,
    tenon_program **program);

/* Null is allowed. */
TENON_API void tenon_program_release(tenon_program *program);

TENON_API size_t tenon_program_input_count(const tenon_program *program);
TENON_API size_t tenon_program_output_count(const tenon_program *program);

/* OUT_OF_RANGE: there is no such input or output. */
TENON_API tenon_status tenon_program_input(const tenon_program *program,
                                           size_t index, tenon_info *info);
TENON_API tenon_status tenon_program_output(const tenon_program *program,
                                            size_t index, tenon_info *info);

/* A session on a device of its own:
 *   "functional"                 the bit-exact simulator
 *   "cpu"                        no device, for programs without accelerator
 *   "fpga:serial:PORT[@BAUD]"    a board on a serial port
 *   "fpga:uio:DEVICE[,KEY=VALUE]" an accelerator in this machine
 * The device's memory is allocated and the program's constants are written. */
TENON_API tenon_status tenon_session_create(const tenon_program *program,
                                            const char *device,
                                            tenon_session **session);

/* Null is allowed. */
TENON_API void tenon_session_release(tenon_session *session);

/* Shape of output `index` for these inputs, of which data is not read: writes
 * `*rank` extents to `shape`, which has room for `capacity`; -1 where only the
 * run tells. BUFFER_TOO_SMALL: `*rank` says how many there are. */
TENON_API tenon_status tenon_session_output_shape(
    const tenon_session *session, const tenon_array *inputs, size_t input_count,
    size_t index, int64_t *shape, size_t capacity, size_t *rank);

/* Runs the program once. Inputs are not written, outputs share no byte with
 * inputs or each other. INVALID_ARGUMENT: count, type or shape is another, or
 * the network refuses the values; BUFFER_TOO_SMALL: `bytes` is less than type
 * and shape need, and nothing ran. After any error but the one below there is
 * no result, nor that of a run before.
 *
 * Of an output with an extent that only the run tells, `shape` and `rank` are
 * not read: tenon_session_result_shape says afterwards what it is. Its `data`
 * may be null; where it is not and `bytes` is less than the output needs, that
 * is BUFFER_TOO_SMALL, and the run has ended well all the same: the result is
 * there for tenon_session_result (tenon_session_result_shape tells the two
 * cases apart). */
TENON_API tenon_status tenon_session_run(tenon_session *session,
                                         const tenon_array *inputs,
                                         size_t input_count,
                                         const tenon_array *outputs,
                                         size_t output_count);

/* Shape of output `index` of the session's last run, as of
 * tenon_session_output_shape. FAILED_PRECONDITION: the last run did not end
 * well, or there was none. */
TENON_API tenon_status tenon_session_result_shape(const tenon_session *session,
                                                  size_t index, int64_t *shape,
                                                  size_t capacity,
                                                  size_t *rank);

/* Copies an output of the session's last run, of which only the run told the
 * shape, to `data`, which has room for `bytes`. BUFFER_TOO_SMALL: it needs
 * more. FAILED_PRECONDITION as above; INVALID_ARGUMENT: the output's shape was
 * known, so that it is in the memory that the run was given. */
TENON_API tenon_status tenon_session_result(const tenon_session *session,
                                            size_t index, void *data,
                                            size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* TENON_H */
