// swift-tools-version: 6.2

import PackageDescription

// The settings of `swift package init`: language mode 6, and no upcoming features.
let package = Package(
  name: "OwnParts",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "OwnParts",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
        .product(name: "LupineTesting", package: "Lupine"),
      ]),
    // A module whose declarations belong to the main actor by default.
    .executableTarget(
      name: "OnMainActor",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ]
)
