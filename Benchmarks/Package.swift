// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func lupine(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "Lupine") }
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

func program(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: folder, swiftSettings: settings)
}

let package = Package(
  name: "Benchmarks",
  products: [
    // For the rows of the other clients, which are in a separate package.
    .library(name: "Row", targets: ["Row"])
  ],
  dependencies: [
    .package(name: "Lupine", path: ".."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .target(name: "Row", path: "Row", swiftSettings: settings),
    .target(
      name: "Requests",
      dependencies: ["Row", httpTypes] + lupine("LupineSession", "LupineStreams", "LupineTransfers"),
      path: "Requests",
      swiftSettings: settings),
    .target(
      name: "CurlRequests", dependencies: ["Requests", "Row"] + lupine("LupineCurl", "LupineSession"),
      path: "CurlRequests", swiftSettings: settings),
    .target(
      name: "NativeRequests", dependencies: ["Requests", "Row"] + lupine("LupineNative", "LupineSession"),
      path: "NativeRequests", swiftSettings: settings),
    program("lupine-row", in: "Lupine", ["CurlRequests", "Requests", "Row"]),
    program("native-row", in: "Native", ["NativeRequests", "Requests", "Row"]),
    program("lupine-umbrella-row", in: "Umbrella", ["NativeRequests", "Requests", "Row"] + lupine("Lupine")),
    program("form-row", in: "Forms", ["Row"] + lupine("LupineSession", "LupineCurl", "LupineMultipart")),
    program(
      "resumable-row", in: "ResumableUploads",
      ["Row"] + lupine("LupineCurl", "LupineNative", "LupineResumableUpload", "LupineSession")),
    program("trust-row", in: "Trust", ["CurlRequests", "Requests", "Row"] + lupine("LupineSession", "LupineOpenSSL")),
    program(
      "cache-row", in: "Caches",
      ["CurlRequests", "Requests", "Row"] + lupine("LupineCache", "LupineSession", "LupineSQLite")),
    program(
      "mock-throughput", in: "MockThroughput",
      ["Row", httpTypes]
        + lupine(
          "LupineCache", "LupineCookies", "LupineCore", "LupineMock", "LupineRecording", "LupineResilience",
          "LupineSession")),
    program("image-row", in: "Images", lupine("LupineImage")),
    program(
      "queue-throughput", in: "Queues", ["Row"] + lupine("LupineMock", "LupineSession", "LupineTransferQueue")),
    program("encoder-throughput", in: "Encoders", ["Row", httpTypes] + lupine("LupineSession", "LupineMultipart")),
  ],
  swiftLanguageModes: [.v6]
)
