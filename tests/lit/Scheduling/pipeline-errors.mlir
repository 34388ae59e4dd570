// RUN: tenon-opt %s -split-input-file -accel-insert-tokens -verify-diagnostics
// RUN: not tenon-opt %s -accel-schedule="config=none" 2>&1 | FileCheck %s --check-prefix=CONFIG
// RUN: not tenon-opt %s -accel-schedule="virtual-threads=3" 2>&1 | FileCheck %s --check-prefix=THREADS

// CONFIG: none
// THREADS: expected 1 or 2 virtual threads, found 3

// expected-error@+1 {{expected the configuration as text in the attribute 'tenon.configuration', run accel-schedule first}}
module {
  func.func @main() {
    return
  }
}
