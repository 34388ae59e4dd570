"""libtenon as another language sees it: tenon.h by ctypes."""
import ctypes

OK, INVALID, NOT_FOUND, OUT_OF_RANGE, TOO_SMALL = 0, 1, 2, 3, 10
INT8 = 1
TYPES = {"int8": INT8, "uint8": 2, "int32": 3, "float32": 4, "int64": 5}


class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("symbols", ctypes.POINTER(ctypes.c_char_p)),
                ("scale", ctypes.c_double), ("zero_point", ctypes.c_int32)]


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("type", ctypes.c_int),
                ("rank", ctypes.c_size_t), ("shape", ctypes.POINTER(ctypes.c_int64))]


def array(data, *shape, size=None):
    return Array(ctypes.cast(data, ctypes.c_void_p), len(data) if size is None else size, INT8, len(shape),
                 (ctypes.c_int64 * len(shape))(*shape))


def view(values):
    """Of numpy's array, which must outlive it."""
    assert values.flags.c_contiguous
    return Array(values.ctypes.data, values.nbytes, TYPES[values.dtype.name], values.ndim,
                 (ctypes.c_int64 * values.ndim)(*values.shape))


class Api:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name in ("tenon_last_error", "tenon_version"):
            getattr(self.library, name).restype = ctypes.c_char_p
        for name in ("input_count", "output_count"):
            getattr(self.library, f"tenon_program_{name}").restype = ctypes.c_size_t

    def __call__(self, name, *arguments, expect=OK):
        status = getattr(self.library, "tenon_" + name)(*arguments)
        assert status == expect, (name, status, self.error())
        return self.error()

    def error(self):
        return self.library.tenon_last_error().decode()

    def session(self, path, device=b"functional"):
        """Of a program of its own."""
        program, session = ctypes.c_void_p(), ctypes.c_void_p()
        self("program_load", str(path).encode(), ctypes.byref(program))
        self("session_create", program, device, ctypes.byref(session))
        self.library.tenon_program_release(program)  # the session keeps what it needs
        return session

    def run(self, session, inputs, outputs):
        """Of numpy's arrays; the outputs are written."""
        given = (Array * len(inputs))(*map(view, inputs))
        taken = (Array * len(outputs))(*map(view, outputs))
        self("session_run", session, given, ctypes.c_size_t(len(inputs)), taken, ctypes.c_size_t(len(outputs)))
