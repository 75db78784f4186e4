// swift-tools-version: 6.2

import PackageDescription

// As `swift package init` makes it: language mode 6, and no upcoming feature.
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
