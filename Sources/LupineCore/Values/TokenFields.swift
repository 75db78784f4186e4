/// The names of fields that carry a token or a key of a service.
///
/// They are the names that the services document. A further one belongs here alone: `SecretFields.standard` and
/// `SecretParameters` have all of them.
enum TokenFields {
  static let names: [String] = general + proxies + clouds + services

  /// The names that many services use.
  private static let general = [
    "Access-Token", "Api-Key", "Api-Token", "ApiKey", "Auth-Key", "Auth-Token", "CSRF-Token", "Client-Secret",
    "Private-Token", "Refresh-Token", "Session-Token", "X-API-Key", "X-API-Secret", "X-API-Token", "X-Access-Key",
    "X-Access-Token", "X-App-Token", "X-Auth", "X-Auth-Key", "X-Auth-Token", "X-Authorization", "X-CSRF-Token",
    "X-CSRFToken", "X-Client-Secret", "X-ID-Token", "X-JWT", "X-Password", "X-Private-Token",
    "X-Refresh-Token", "X-Secret-Key", "X-Secret-Token", "X-Session-Token", "X-Token",
    "X-User-Token", "X-XSRF-Token", "XSRF-Token",
  ]

  /// The names by which proxies and gateways pass credentials on.
  private static let proxies = [
    "CF-Access-Client-Secret", "CF-Access-JWT-Assertion", "CF-Access-Token", "Kong-Admin-Token",
    "X-Amzn-OIDC-AccessToken", "X-Amzn-OIDC-Data", "X-Auth-Request-Access-Token", "X-Forwarded-Access-Token",
    "X-Forwarded-Authorization", "X-Goog-IAP-JWT-Assertion", "X-JWT-Assertion", "X-MS-Token-AAD-Access-Token",
    "X-MS-Token-AAD-ID-Token", "X-MS-Token-AAD-Refresh-Token", "X-Original-Authorization",
    "X-Serverless-Authorization",
  ]

  /// The names of clouds, with the keys by which a store of objects encrypts.
  private static let clouds = [
    "Aeg-SAS-Key", "Aeg-SAS-Token", "Fastly-Key", "Metadata-Token", "Ocp-Apim-Subscription-Key",
    "X-AWS-EC2-Metadata-Token", "X-AWS-Parameters-Secrets-Token",
    "X-Amz-Copy-Source-Server-Side-Encryption-Customer-Key", "X-Amz-Security-Token",
    "X-Amz-Server-Side-Encryption-Customer-Key", "X-Auth-User-Service-Key", "X-Functions-Key", "X-Goog-API-Key",
    "X-Goog-Copy-Source-Encryption-Key", "X-Goog-Encryption-Key", "X-Goog-IAM-Authorization-Token",
    "X-Identity-Header", "X-MS-Authorization-Auxiliary", "X-MS-Encryption-Key", "X-Service-Token", "X-Storage-Token",
    "X-Subject-Token", "X-ZUMO-Auth",
  ]

  /// The names of single services.
  private static let services = [
    "Circle-Token", "DD-API-Key", "DD-Application-Key", "Deploy-Token", "Job-Token", "Shopify-Storefront-Private-Token",
    "X-Algolia-API-Key", "X-Appwrite-JWT", "X-Appwrite-Key", "X-Buildkite-Token", "X-Cisco-Meraki-API-Key",
    "X-Consul-Token", "X-ELS-APIKey", "X-ELS-Insttoken", "X-Emby-Token", "X-Figma-Token", "X-Firebase-AppCheck",
    "X-GitHub-OTP", "X-Gitea-OTP", "X-GitLab-Token", "X-Hasura-Admin-Secret", "X-Honeycomb-Team", "X-Insert-Key",
    "X-JFrog-Art-API", "X-License-Key", "X-MediaBrowser-Token", "X-Meili-API-Key", "X-N8N-API-Key", "X-Nomad-Token",
    "X-NuGet-ApiKey", "X-Octopus-ApiKey", "X-Parse-Master-Key", "X-Parse-REST-API-Key", "X-Parse-Session-Token",
    "X-Plex-Token", "X-Postmark-Account-Token", "X-Postmark-Server-Token", "X-Query-Key", "X-RapidAPI-Key",
    "X-Redmine-API-Key", "X-Rollbar-Access-Token", "X-Sentry-Auth", "X-Sentry-Token",
    "X-Shopify-Access-Token", "X-Shopify-Storefront-Access-Token", "X-Subscription-Token", "X-Tableau-Auth",
    "X-TrackerToken", "X-TypeSense-API-Key", "X-Vault-Token", "XI-API-Key",
  ]
}
