// RUN: tenon-opt %s -split-input-file -accel-insert-tokens -verify-diagnostics
// RUN: not tenon-opt %s -accel-attach-machine="config=none" 2>&1 | FileCheck %s --check-prefix=CONFIG
// RUN: not tenon-opt %s -accel-attach-machine="virtual-threads=0" 2>&1 | FileCheck %s --check-prefix=THREADS

// CONFIG: none
// THREADS: expected at least one virtual thread, found none

// expected-error@+1 {{expected the machine in the attribute 'accel.machine', run accel-attach-machine first}}
module {
  func.func @main() {
    return
  }
}
