// swift-tools-version: 6.2

import PackageDescription

// As `swift package init` makes it: language mode 6, and no upcoming feature.
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
