// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "WithoutCurl",
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "WithoutCurl",
      dependencies: [
        .product(name: "Lupine", package: "Lupine"),
        .product(name: "LupineMock", package: "Lupine"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
