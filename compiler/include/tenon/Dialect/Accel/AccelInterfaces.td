// What all layers of the accelerator are asked.

#ifndef TENON_DIALECT_ACCEL_ACCELINTERFACES_TD
#define TENON_DIALECT_ACCEL_ACCELINTERFACES_TD

include "mlir/IR/OpBase.td"

def AcceleratorLayer : OpInterface<"AcceleratorLayer"> {
  let cppNamespace = "::tenon::accel";
  let description = [{
    One layer of a network as the accelerator computes it: its loops and operands
    without the values of its constants are an accel.layer, which searches and
    cost models take; its schedule is an accel.schedule.
  }];
  let methods = [
    InterfaceMethod<"The activation that is read.", "::mlir::Value", "getInput">,
    InterfaceMethod<"The operand of an addition in the epilogue, or null.",
                    "::mlir::Value", "getResidual">,
    InterfaceMethod<"The activation that is stored.", "::mlir::Value", "getResult">,
    InterfaceMethod<"What its schedule depends on.",
                    "::tenon::accel::LayerAttr", "getLayer">,
    InterfaceMethod<"The schedule, or null.", "::tenon::accel::ScheduleAttr",
                    "getScheduleAttr">,
    InterfaceMethod<"", "void", "setScheduleAttr",
                    (ins "::tenon::accel::ScheduleAttr":$schedule)>,
  ];
}

#endif // TENON_DIALECT_ACCEL_ACCELINTERFACES_TD
