// An image flattened to a vector, and a padded window on it: the flattening was folded into
// the first of the window's nine taps.
// MACHINE: name: "tiny" batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<2x1xi8> {tenon.name = "t0"}) -> (tensor<1x1x1x1xui8> {tenon.name = "o3"}) {
    %0 = tosa.const_shape {values = dense<[1, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %1 = tosa.reshape %arg0, %0 : (tensor<2x1xi8>, !tosa.shape<4>) -> tensor<1x1x2x1xi8>
    %2 = "tosa.const"() <{values = dense<"0x80c2eb70098cc2cd7e0e3a024356ba84b4f1456ade5dc9d6acc95fd9306fbbb9"> : tensor<32x1x1x1xi8>}> : () -> tensor<32x1x1x1xi8>
    %3 = "tosa.const"() <{values = dense<"0x02000000b31f000066f1fffff51d0000e0ffffffc7ffffff77000000faffffffb2feffffffffffffecffffff9ff6fffffbffffffffffffff6d00000000000000c2feffff9bf3ffff96000000fdffffff00000000ffffffff00000000c8ffffffbbffffff01000000000000001e0000000000000002000000000000001d000000"> : tensor<32xi32>}> : () -> tensor<32xi32>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = tosa.conv2d %1, %2, %3, %4, %5 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x2x1xi8>, tensor<32x1x1x1xi8>, tensor<32xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x2x32xi32>
    %7 = "tosa.const"() <{values = dense<1339796386> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<40> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = tosa.rescale %6, %7, %8, %9, %10 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x2x32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x2x32xi8>
    %12 = tosa.const_shape {values = dense<[2, 32]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %13 = tosa.reshape %11, %12 {tenon.tensor = {name = "t1", shape = array<i64: 2, 32>, unsigned = false}} : (tensor<1x1x2x32xi8>, !tosa.shape<2>) -> tensor<2x32xi8>
    %14 = tosa.const_shape {values = dense<[1, 1, 1, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %15 = tosa.reshape %13, %14 {tenon.tensor = {name = "t2", shape = array<i64: 1, 1, 1, 64>, unsigned = false}} : (tensor<2x32xi8>, !tosa.shape<4>) -> tensor<1x1x1x64xi8>
    %16 = "tosa.const"() <{values = dense<"0xa5e8db77c7f322b524a17088700cd8ed20d2b89a5b168fce9d031025f8e90dd5d538349824f3d55be79690b06865a4074e5918e05e531cdab2d82f591a671dd6f70544d7d7d17329f6dbe67c4e7039be9b633cd6b9cd690531d261ec4e419f06c1d519fec818bded77ffa8d5197854b22ace1b064f3124e693a510c256b1025796de12706cc766b4aab128858a03f49e3e33cad1fc6e57920243a2a08d1a159e77c62a78f9b44936e2784ac03cd70a3d0be6eff8b2ec9983e076ee884e1acbb34f4344d78bd1b377bb4e0913cfb23ecc0002c636cf9b80fff86f993b4a5b13302569aa5d0abcbf6dfdb3d2ad5a179a89fa129bc4823036388f3dcecfbd097a57ed20c82a68317278e0078260b453a8529e37104066c596483cc1f3b6fb532f76d30547046e8917f36543315602d3a087e6ee86c34c6a3a3118d5254ef4a41beddd949dd376a3477407f61982dc6df37acd4d2a6f2a219958ab1ea86c4f5e7d49016c9d759303830b1d69e9262d4b2e2636bd2f669371212bed72402a3f8929019fc6744a53ecb37b6ac65ba148e0f5e54580520ea96fec4b7c73e4f9d9575dcb35700fb227474ffe1895f94a402c0da046cec0209348129086480ed42b4e5034f5d6725d88c60a0ab103e250f9a5af473cae441d0de3d340214db4d53c92111521973b0da6a3c258949806e8e5a5e8e6abf5f8a18a1b0ee0ae0ec60e5b4b329a02571e5cf9c12a1bfc4d19fe66dd86e33705a029502e775a2273fcb686b6aebbb5110c3a93c3f29ec2512899aa72fc012e66e0176bd8cb0a83859f6a075bf0de"> : tensor<1x3x3x64xi8>}> : () -> tensor<1x3x3x64xi8>
    %17 = "tosa.const"() <{values = dense<-16> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %20 = tosa.conv2d %15, %16, %17, %18, %19 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x1x1x64xi8>, tensor<1x3x3x64xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
    %21 = "tosa.const"() <{values = dense<1086663818> : tensor<1xi32>}> : () -> tensor<1xi32>
    %22 = "tosa.const"() <{values = dense<43> : tensor<1xi8>}> : () -> tensor<1xi8>
    %23 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = tosa.rescale %20, %21, %22, %23, %24 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 1, 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
    %26 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %28 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %29 = "tosa.const"() <{values = dense<128> : tensor<1xui8>}> : () -> tensor<1xui8>
    %30 = tosa.rescale %25, %26, %27, %28, %29 {input_unsigned = false, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xui8>) -> tensor<1x1x1x1xui8>
    return %30 : tensor<1x1x1x1xui8>
}
