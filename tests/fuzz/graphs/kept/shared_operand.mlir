// Two additions read the result of a convolution, which the first of them took along:
// the second found nothing that makes it.
// MACHINE: name: "tiny" batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x1x1x8xi8> {tenon.name = "t0"}) -> (tensor<1x1x1x8xi8> {tenon.name = "o3"}) {
    %0 = "tosa.const"() <{values = dense<"0xb993582a7fe53a6eb20116dea100d6685f74c49f44a38f625575792c085222a74a1d3e388ed27ffabda48dce76c589588c639964e766bcc90f17b2607265496703de1aa0da2c45fe894eb23107e9bb874f33300075116be82223021c741d0effde5e01b081fa02df81086ad7b3c18fac2d3718f6fa0d3fd668f389848be2e3833689f847b99876fefaa186707f361a0d25f6446e75cf0d4a2234cd0581378a49c933835c4957f90ba919d40aae41ff893b86cbf8342a9168eb35ab8bb887585554b81ab56cd1020a5efbed445282e76fdad04d5ac5220e6e1500b3d91e0e99a430d25fc52c785d508c39d350b6109ce4d6e6009d2786f37b4fd89cceaeffa78bb771fe45d07f10b2c8f3eae23b0afb76f9f13b4a3d2d7e039aa93bed6491263dcec0e0adeef7e06195deb651e195adf54648ef9ef9a947708e54acbae212cb304654ce2454f46f73ca0313e1059848534870f1949e5fb52df29247b538167f45e569f3c1b7ecef39f38967198ce2393c7002ff4767e837fd46c78cbc1d033b3611fc201305297b2a2d549bf61f84412c1c04071c718f5c9ad5eef504087cdc013462fcd6b7303bbe048b200160ebd906e1fd62af694c6fcc4c0a6a6f73aa4ebd48e9958dd3c6f05e41c91eb6770e1f4224486a50dd967ce1ea0ddf01f09d69c10b877d36538ec7b80bf4f6bedd893423abe24f19f06c4cd2b2929a3c5284fe3e96a11ebc96a045aac34cc3446ab1b00cde85ceaa902242b525fb306f8f5aba2ae17ebd092a0d0dd4b2f7f3feb3608ef9c3a5c8aab29dadd4df79d3694727cf8f02a285bbea366f99cb6e20062585bcbc224ad350f53b264e31901015653ba0a82fa55a40ece55f249b8753ae8fa68410321e4cb5d9936703f0f99fc83c78808ea038b8cd6a85e15fc045b171b446435e658bf2251a4b30fcf727d3cc0babe3b8e95a70e5f5cef0cdc42e8032a45e584d5385ffaa708bedb07174939b6ab8e1ee7dd56eb3d03e8365a4e13724e6c0894501796d5abd8664e70e24eabe6fcfc89189b9582f391d943de61914b71532729ca949a1c23504a12a1eb48dfa858e9568cacdcb608563215ecdffffa4f3ccec11f980562a489dd5f0ec693ec6448a460e4e71ab7b51738bdaef10b6e95e4baedd93d79b7b869bae98cd5d0b157b9b9b83955d535c6f656fe849d1daae452c6a1692ffb9f76333ddf2f2c2a196f574244bd32348b15f06afa05efe4d5c63adaa123cab930711f16b29b649477d197db0c89270bef59146e29fbcb9cd2a4174ca5c8c525964bafbdd619ae7d93fd0493da10243a03234763c414a100dc1ac4a14e6b205d78464189c0e007c1a5282e3e6a71f089da2065d5275406ae48bf35e4700aff9669345157ec7172f1173ca325a2dd056ca85c72622f76ebdb1058f6fea88213f349348f4879ef98ddd61fa8843d829a74137691a59cb6d1dd9287f1333b5c2ff38a0267ef202c1565fbf05d2f23e1497ed521352ae1ce6468a7135586c3e155242dd6ba0a9c04f112247e9301ffa7e51856b68995d6196900945673e3d61fb977128f8c58762f2c2761c67266642e23fcf5ab154ed8f7105a5f2699f966e244d83740c41b39b828fcf1cfa753023f4f37e80480e76c44581ca6897e27c03e2ed566784bcd0f4febcf971230cecd814ff662ae03c74c206a3661d96641370193e84a06d0a8674ed1bf343a7e0cc65e6abf4bbedbc2f5dfe12c543782c249874cc275468a09432c5f9d0af1f6966e40742351ac6ad1dc198a5d5ea768ccef1a1e436869c0699c71864e61f7b035e8a2fdf05499d121c00e495193d88db27081a99b47f6c62b3e642ff2eec9955b06fa3607157d4d43ab087c234443ef8e562fb834f4936eabc55c2da10aff63c2152a4b08cade329ba4918833c4a446d564ae4e27e41e82ed51290e7f74408be4ede43b19861a9623819284fe5bcb797c9d46f9879467031a5e1e19dc418be790ef4ac1b66db15c2ce7358c023e526031377a0d844d822636e53cfc64f7bf73881f7b04b17978ba1709f421e610811ac74e4e38efe800c791d8c8fd38a48c2c76cb01d2cf536d747919883dd5e7a8ec5d303518ecc44fcbb410f57d92727abfb356d38aad9ade369f5d2df40bf179d7f5e3d913d7835d341a1fde7d3a7478bb13ba1a80161b166033d2d5b6b922396a2f189dccdf0b03150ea3eefb08c0199ce272ae566efcd2cfcf320d80590aa5f1c8301d5abfdfbb0710678b1717b20a98d942f"> : tensor<8x5x5x8xi8>}> : () -> tensor<8x5x5x8xi8>
    %1 = "tosa.const"() <{values = dense<"0xffffffff24fefffffdf7ffff03000000ffffffff0c00000025030000feffffff"> : tensor<8xi32>}> : () -> tensor<8xi32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.conv2d %arg0, %0, %1, %2, %3 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>} : (tensor<1x1x1x8xi8>, tensor<8x5x5x8xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x8xi32>
    %5 = "tosa.const"() <{values = dense<1496384466> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<42> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = tosa.rescale %4, %5, %6, %7, %8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t1", shape = array<i64: 1, 1, 1, 8>, unsigned = false}} : (tensor<1x1x1x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi8>
    %10 = tosa.cast %arg0 : (tensor<1x1x1x8xi8>) -> tensor<1x1x1x8xi32>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %12 = tosa.sub %10, %11 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x8xi32>
    %13 = "tosa.const"() <{values = dense<13178> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %15 = tosa.mul %12, %13, %14 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi32>
    %16 = tosa.cast %9 : (tensor<1x1x1x8xi8>) -> tensor<1x1x1x8xi32>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %18 = tosa.sub %16, %17 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x8xi32>
    %19 = "tosa.const"() <{values = dense<1931360> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %20 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %21 = tosa.mul %18, %19, %20 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi32>
    %22 = tosa.add %15, %21 : (tensor<1x1x1x8xi32>, tensor<1x1x1x8xi32>) -> tensor<1x1x1x8xi32>
    %23 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %24 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %26 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %27 = tosa.rescale %22, %23, %24, %25, %26 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t2", shape = array<i64: 1, 1, 1, 8>, unsigned = false}} : (tensor<1x1x1x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi8>
    %28 = tosa.cast %27 : (tensor<1x1x1x8xi8>) -> tensor<1x1x1x8xi32>
    %29 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %30 = tosa.sub %28, %29 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x8xi32>
    %31 = "tosa.const"() <{values = dense<883859> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %32 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %33 = tosa.mul %30, %31, %32 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi32>
    %34 = tosa.cast %9 : (tensor<1x1x1x8xi8>) -> tensor<1x1x1x8xi32>
    %35 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %36 = tosa.sub %34, %35 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x8xi32>
    %37 = "tosa.const"() <{values = dense<1627970> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %38 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %39 = tosa.mul %36, %37, %38 : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi32>
    %40 = tosa.add %33, %39 : (tensor<1x1x1x8xi32>, tensor<1x1x1x8xi32>) -> tensor<1x1x1x8xi32>
    %41 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %42 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
    %43 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %44 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %45 = tosa.rescale %40, %41, %42, %43, %44 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 1, 1, 8>, unsigned = false}} : (tensor<1x1x1x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x8xi8>
    return %45 : tensor<1x1x1x8xi8>
}
