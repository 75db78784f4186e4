// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The tests with malformed input, in a separate package, so that only they are built with the address sanitizer.
///
/// The script `run` in this folder builds and runs them.
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
      swiftSettings: settings),
    // Only in this package: the main one tests the transport with many more responses, without the sanitizer.
    .testTarget(
      name: "HostileTransportTests",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"), .product(name: "LupineNative", package: "Lupine"),
      ],
      path: "HostileTransportTests", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
