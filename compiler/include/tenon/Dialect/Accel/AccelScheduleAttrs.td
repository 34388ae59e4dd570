// The machine, and the scheduling problem of a layer with its solution, as
// attributes: their text is what searches, records and tests share.

#ifndef TENON_DIALECT_ACCEL_ACCELSCHEDULEATTRS_TD
#define TENON_DIALECT_ACCEL_ACCELSCHEDULEATTRS_TD

include "tenon/Dialect/Accel/AccelDialect.td"
include "mlir/IR/CommonAttrConstraints.td"

def Accel_MachineAttr : Accel_Attr<"Machine", "machine"> {
  let summary = "what a module is compiled for";
  let description = [{
    The configuration as protobuf text in one line, and the tile contexts that a
    schedule is to have. On the module as `accel.machine`.
  }];
  let parameters = (ins StringRefParameter<"the configuration">:$configuration,
                        "uint32_t":$virtualThreads);
  let assemblyFormat = [{
    `<` $configuration `,` `virtual_threads` `=` $virtualThreads `>`
  }];
}

def Accel_RefusalAttr : Accel_Attr<"Refusal", "refusal"> {
  let summary = "why a layer must not be placed on the accelerator";
  let description = [{
    Found behind placement, for the candidate with this number (`tenon.candidate`
    of the operations made for it). On a module as the list `accel.refusals`,
    which accel-partition takes and the passes behind it add to.
  }];
  let parameters = (ins "uint64_t":$candidate,
                        StringRefParameter<"what is in the way">:$reason,
                        StringRefParameter<"what would change it">:$remedy);
  let assemblyFormat = "`<` $candidate `,` $reason `,` $remedy `>`";
}

def Accel_ReductionKind : I32EnumAttr<"ReductionKind", "what a layer accumulates", [
    I32EnumAttrCase<"Contract", 0, "contract">,
    I32EnumAttrCase<"Mac", 1, "mac">,
    I32EnumAttrCase<"Sum", 2, "sum">,
    I32EnumAttrCase<"Average", 3, "average">,
    I32EnumAttrCase<"Max", 4, "max">,
    I32EnumAttrCase<"Product", 5, "product">,
    I32EnumAttrCase<"Multiply", 6, "multiply">]> {
  let cppNamespace = "::tenon::accel";
  let genSpecializedAttr = 0;
}

def Accel_LayerAttr : Accel_Attr<"Layer", "layer"> {
  let summary = "what the schedule of a layer depends on";
  let description = [{
    The layer without the values of its constants: shapes are N, H, W, C, the
    window is y, x, the padding top, bottom, left, right. `residual`: it adds an
    operand, or multiplies by it; `spread`: which has one pixel; `uniform`: all channels are requantised alike; `groups` of a
    contraction's channels, left out where it is one; `weight_sums`: of a product
    of activations, whose input has a zero point; `repeats_edge`: padding is the
    nearest element. Equal layers have equal schedules.
  }];
  let parameters = (ins EnumParameter<Accel_ReductionKind>:$kind,
                        ArrayRefParameter<"int64_t">:$input,
                        ArrayRefParameter<"int64_t">:$result,
                        ArrayRefParameter<"int64_t">:$kernel,
                        ArrayRefParameter<"int64_t">:$stride,
                        ArrayRefParameter<"int64_t">:$dilation,
                        ArrayRefParameter<"int64_t">:$pad,
                        "bool":$residual, "bool":$uniform,
                        DefaultValuedParameter<"int64_t", "1">:$groups,
                        DefaultValuedParameter<"bool", "false">:$weightSums,
                        DefaultValuedParameter<"bool", "false">:$spread,
                        DefaultValuedParameter<"bool", "false">:$repeatsEdge);
  let assemblyFormat = [{
    `<` $kind `[` $input `]` `->` `[` $result `]` `,`
        `kernel` `=` `[` $kernel `]` `,` `stride` `=` `[` $stride `]` `,`
        `dilation` `=` `[` $dilation `]` `,` `pad` `=` `[` $pad `]` `,`
        `residual` `=` $residual `,` `uniform` `=` $uniform
        (`,` `groups` `=` $groups^)?
        (`with` `weight_sums` `=` $weightSums^)? (`spread` `=` $spread^)?
        (`repeats_edge` `=` $repeatsEdge^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Accel_TileAxis : I32EnumAttr<"TileAxis", "a loop over tiles", [
    I32EnumAttrCase<"Pixels", 0, "pixels">,
    I32EnumAttrCase<"Channels", 1, "channels">]> {
  let cppNamespace = "::tenon::accel";
  let genSpecializedAttr = 0;
}

def Accel_ScheduleAttr : Accel_Attr<"Schedule", "schedule"> {
  let summary = "tiles of a layer";
  let description = [{
    Largest tile (`rows` x `cols` output pixels, `blocks` of BLOCK_OUT output
    channels), largest step of its reduction (`reduction` blocks of BLOCK_IN
    input channels, `kernel_rows` rows of the window), loop order (`channels`
    outside or inside of pixels). Virtual threads: neighbouring tiles along one
    axis alternate between `threads` contexts in the scratchpads; `wanted` of
    them were asked for where fewer fit. All but `wanted` are at least 1.
  }];
  let parameters = (ins "uint32_t":$rows, "uint32_t":$cols, "uint32_t":$blocks,
                        "uint32_t":$reduction, "uint32_t":$kernelRows,
                        "bool":$channelsOuter, "uint32_t":$threads,
                        EnumParameter<Accel_TileAxis>:$axis,
                        DefaultValuedParameter<"uint32_t", "0">:$wanted);
  let assemblyFormat = [{
    `<` `rows` `=` $rows `,` `cols` `=` $cols `,` `blocks` `=` $blocks `,`
        `reduction` `=` $reduction `,` `kernel_rows` `=` $kernelRows `,`
        `channels_outer` `=` $channelsOuter `,` `threads` `=` $threads
        `along` $axis (`,` `wanted` `=` $wanted^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Accel_ProblemOp : Accel_Op<"problem"> {
  let summary = "layers that are scheduled together, and their schedules";
  let description = [{
    One layer, or two whose tiles are interleaved; a schedule each, or none yet.
    `name` is for people: the key is the text of the layers and of the module's
    machine. In a module with `accel.machine`; `tenon compile --emit=schedule`
    prints such modules and `--schedule` reads them.
  }];
  let arguments = (ins StrAttr:$name,
                       TypedArrayAttrBase<Accel_LayerAttr, "layers">:$layers,
                       TypedArrayAttrBase<Accel_ScheduleAttr, "schedules">:$schedules);
  let assemblyFormat = "$name $layers `schedule` $schedules attr-dict";
  let hasVerifier = 1;
}

#endif // TENON_DIALECT_ACCEL_ACCELSCHEDULEATTRS_TD
