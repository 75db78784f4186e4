// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Demo",
  dependencies: [.package(path: "../lupine")],
  targets: [
    .executableTarget(name: "Demo", dependencies: [.product(name: "Lupine", package: "lupine")]),
    .testTarget(
      name: "DemoTests",
      dependencies: [
        "Demo",
        .product(name: "LupineMock", package: "lupine"),
        .product(name: "LupineTesting", package: "lupine"),
      ]),
  ])
