// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "FromEnvironment",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The traits of BesideHummingbird, so that both packages use the same build of Lupine.
    .package(name: "Lupine", path: "../../..", traits: [.defaults, "Configuration", "Observability"]),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
  ],
  targets: [
    .executableTarget(
      name: "FromEnvironment",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineConfiguration", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
        .product(name: "Configuration", package: "swift-configuration"),
      ]),
    .testTarget(
      name: "StatusTests",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineTesting", package: "Lupine"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
