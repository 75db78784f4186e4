// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A fuzzer: a program that calls one function with each of libFuzzer's inputs until its time limit.
///
/// Its source folder is `name`.
func fuzz(_ name: String, _ products: [String]) -> Target {
  .executableTarget(
    name: "Fuzz\(name)",
    dependencies: ["FuzzRunner", .product(name: "HTTPTypes", package: "swift-http-types")]
      + products.map { .product(name: $0, package: "Lupine") },
    path: name, swiftSettings: settings)
}

let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .systemLibrary(name: "FuzzDriver", path: "FuzzDriver"),
    .target(name: "FuzzRunner", dependencies: ["FuzzDriver"], path: "FuzzRunner", swiftSettings: settings),
    fuzz("MultipartParser", ["LupineCore", "LupineMultipart"]),
    fuzz("ChunkReader", ["LupineCore", "LupineFraming"]),
    fuzz("HeadReader", ["LupineCore", "LupineFraming"]),
    fuzz("ResponseReader", ["LupineCore", "LupineFraming"]),
    fuzz("ProxyNegotiation", ["LupineCore", "LupineFraming", "LupineNative"]),
    fuzz("HTTP2Frames", ["LupineCore", "LupineFraming", "LupineNative"]),
    fuzz("Certificates", ["LupineCore", "LupineOpenSSL"]),
    fuzz("CassetteReader", ["LupineCore", "LupineRecording"]),
    fuzz("ImageDecoder", ["LupineCore", "LupineImage"]),
    fuzz("Redaction", ["LupineCore", "LupineRecording"]),
  ],
  swiftLanguageModes: [.v6]
)
