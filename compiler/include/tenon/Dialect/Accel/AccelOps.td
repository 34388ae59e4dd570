// All operations of the dialect, for table generation.
include "tenon/Dialect/Accel/AccelTensorOps.td"
