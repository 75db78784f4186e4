// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "BesideHummingbird",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [.defaults, "Configuration", "Observability"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
  ],
  targets: [
    .executableTarget(
      name: "BesideHummingbird",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
        .product(name: "LupineObservability", package: "Lupine"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
