// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "InService",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "InService",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
        .product(name: "LupineObservability", package: "Lupine"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
