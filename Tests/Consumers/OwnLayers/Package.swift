// swift-tools-version: 6.2

import PackageDescription

// The settings of `swift package init`: language mode 6, and no upcoming features.
let package = Package(
  name: "OwnLayers",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "OwnLayers",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
      ]),
    .testTarget(
      name: "OwnLayersTests",
      dependencies: [
        "OwnLayers",
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
        .product(name: "LupineTesting", package: "Lupine"),
      ]),
  ]
)
