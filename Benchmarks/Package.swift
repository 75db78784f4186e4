// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Benchmarks",
  products: [
    // For the other clients' rows, which are a package of their own.
    .library(name: "Row", targets: ["Row"])
  ],
  dependencies: [
    .package(name: "Lupine", path: ".."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .target(name: "Row", path: "Row", swiftSettings: settings),
    .executableTarget(
      name: "raw-curl", path: "RawCurl", linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(
      name: "lupine-row",
      dependencies: [
        "Row",
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineCurl", package: "Lupine"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ], path: "Lupine", swiftSettings: settings),
    .executableTarget(
      name: "multipart-measure",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineCurl", package: "Lupine"),
        .product(name: "LupineMultipart", package: "Lupine"),
      ], path: "Multipart", swiftSettings: settings),
    .executableTarget(
      name: "trust-measure",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineCurl", package: "Lupine"),
        .product(name: "LupineOpenSSL", package: "Lupine"),
      ], path: "Trust", swiftSettings: settings),
    .executableTarget(
      name: "transfer-measure",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineCurl", package: "Lupine"),
      ], path: "Transfers", swiftSettings: settings),
    .executableTarget(
      name: "MockThroughput",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ], path: "MockThroughput", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
