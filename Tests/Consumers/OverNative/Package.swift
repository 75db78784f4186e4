// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "OverNative",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: ["Native"])
  ],
  targets: [
    .executableTarget(
      name: "OverNative",
      dependencies: [
        .product(name: "Lupine", package: "Lupine")
      ])
  ],
  swiftLanguageModes: [.v6]
)
