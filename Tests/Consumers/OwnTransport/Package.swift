// swift-tools-version: 6.2

import PackageDescription

// The settings of `swift package init`: language mode 6, and no upcoming features.
let package = Package(
  name: "OwnTransport",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "OwnTransport",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineFraming", package: "Lupine"),
        .product(name: "LupineTesting", package: "Lupine"),
      ])
  ]
)
