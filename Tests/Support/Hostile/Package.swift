// swift-tools-version: 6.2

import PackageDescription

/// The tests with bad input, alone, so that the address sanitizer need not be built into all the others: `run`.
let package = Package(
  name: "Hostile",
  dependencies: [.package(name: "Lupine", path: "../../..", traits: [])],
  targets: [
    .testTarget(
      name: "HostileTests",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"), .product(name: "LupineOpenSSL", package: "Lupine"),
      ],
      path: "HostileTests",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
