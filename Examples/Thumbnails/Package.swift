// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Thumbnails",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Lupine", path: "../..", traits: [.defaults, "Configuration", "Observability"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "Thumbnails",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineImage", package: "Lupine"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
