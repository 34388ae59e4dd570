// All operations of the dialect, for table generation.
include "tenon/Dialect/Accel/AccelScheduleAttrs.td"
include "tenon/Dialect/Accel/AccelTensorOps.td"
include "tenon/Dialect/Accel/AccelStreamOps.td"
