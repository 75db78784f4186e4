// swift-tools-version: 6.2

import PackageDescription

// The settings of `swift package init`: language mode 6, and no upcoming features.
let package = Package(
  name: "OwnRequests",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "OwnRequests",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
      ])
  ]
)
