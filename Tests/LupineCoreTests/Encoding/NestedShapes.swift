import Foundation
import HTTPTypes
import LupineCoding
import LupineCore
import LupineSession
import Testing

/// Bodies of real services, written as literals that contain variables.
enum NestedShapes {
  static let text = "a text"
  static let number = 7
  static let price = 12.5
  static let flag = true
  static let none: String? = nil
  static let some: Int? = 3
  static let tags = ["a", "b"]
  static let id = UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()
  static let metadata = ["order": "1"]

  struct Shape: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expected: JSONValue
    var make: @Sendable (Session, String) -> DataRequest

    init(_ name: String, _ expected: JSONValue, _ make: @escaping @Sendable (Session, String) -> DataRequest) {
      (testDescription, self.expected, self.make) = (name, expected, make)
    }
  }

  static let gitHub: [Shape] = [
    Shape("GitHub: an issue", ["title": "a text", "assignee": ["login": "a", "id": 1]]) {
      $0.request($1, method: .post, parameters: ["title": text, "assignee": ["login": "a", "id": 1]], encoder: .json)
    },
    Shape(
      "GitHub: a check run",
      [
        "name": "a text", "head_sha": "c0ffee", "status": "completed",
        "output": ["title": "a text", "annotations": [["path": "a.swift", "start_line": 7, "message": "a text"]]],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "name": text, "head_sha": "c0ffee", "status": "completed",
          "output": ["title": text, "annotations": [["path": "a.swift", "start_line": number, "message": text]]],
        ], encoder: .json)
    },
    Shape(
      "GitHub: a protected branch",
      [
        "required_status_checks": ["strict": true, "contexts": ["a", "b"]], "enforce_admins": true,
        "restrictions": nil, "required_pull_request_reviews": ["required_approving_review_count": 7],
      ]
    ) {
      $0.request(
        $1, method: .put,
        parameters: [
          "required_status_checks": ["strict": flag, "contexts": tags.parameterValue], "enforce_admins": flag,
          "restrictions": nil,
          "required_pull_request_reviews": ["required_approving_review_count": number],
        ], encoder: .json)
    },
    Shape(
      "GitHub: GraphQL", ["query": "query($n: Int) { a }", "variables": ["n": 7, "owner": "a text", "after": nil]]
    ) {
      $0.request(
        $1, method: .post,
        parameters: ["query": "query($n: Int) { a }", "variables": ["n": number, "owner": text, "after": none]],
        encoder: .json)
    },
    Shape(
      "GitHub: a dispatch",
      ["event_type": "deploy", "client_payload": ["id": "00000000-0000-0000-0000-000000000001", "dry": false]]
    ) {
      $0.request(
        $1, method: .post, parameters: ["event_type": "deploy", "client_payload": ["id": id, "dry": !flag]],
        encoder: .json)
    },
  ]

  static let stripe: [Shape] = [
    Shape(
      "Stripe: an intent",
      [
        "amount": 7, "currency": "eur", "metadata": ["order": "1"],
        "automatic_payment_methods": ["enabled": true, "allow_redirects": "never"],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "amount": number, "currency": "eur", "metadata": metadata.parameterValue,
          "automatic_payment_methods": ["enabled": flag, "allow_redirects": "never"],
        ], encoder: .json)
    },
    Shape(
      "Stripe: a checkout",
      [
        "mode": "payment",
        "line_items": [["quantity": 7, "price_data": ["currency": "eur", "product_data": ["name": "a text"]]]],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "mode": "payment",
          "line_items": [
            ["quantity": number, "price_data": ["currency": "eur", "product_data": ["name": text]]]
          ],
        ], encoder: .json)
    },
    Shape("Stripe: a subscription", ["customer": "a text", "items": [["price": "p", "quantity": 3], ["price": "q"]]]) {
      $0.request(
        $1, method: .post,
        parameters: ["customer": text, "items": [["price": "p", "quantity": some], ["price": "q"]]],
        encoder: .json)
    },
    Shape("Stripe: an address", ["name": "a text", "address": ["line1": "a text", "line2": nil, "postal_code": 7]]) {
      $0.request(
        $1, method: .post,
        parameters: ["name": text, "address": ["line1": text, "line2": nil, "postal_code": number]], encoder: .json)
    },
  ]

  static let openAI: [Shape] = [
    Shape(
      "OpenAI: a chat",
      [
        "model": "m", "temperature": 12.5, "stream": true,
        "messages": [["role": "system", "content": "be brief"], ["role": "user", "content": "a text"]],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "model": "m", "temperature": price, "stream": flag,
          "messages": [["role": "system", "content": "be brief"], ["role": "user", "content": text]],
        ], encoder: .json)
    },
    Shape(
      "OpenAI: an image",
      [
        "model": "m",
        "messages": [
          [
            "role": "user",
            "content": [
              ["type": "text", "text": "a text"],
              ["type": "image_url", "image_url": ["url": "a text", "detail": "low"]],
            ],
          ]
        ],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "model": "m",
          "messages": [
            [
              "role": "user",
              "content": [
                ["type": "text", "text": text], ["type": "image_url", "image_url": ["url": text, "detail": "low"]],
              ],
            ]
          ],
        ], encoder: .json)
    },
    Shape(
      "OpenAI: a tool",
      [
        "model": "m",
        "tools": [
          [
            "type": "function",
            "function": [
              "name": "a text", "strict": true,
              "parameters": [
                "type": "object", "properties": ["city": ["type": "string", "enum": ["a", "b"]]], "required": ["city"],
              ],
            ],
          ]
        ],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "model": "m",
          "tools": [
            [
              "type": "function",
              "function": [
                "name": text, "strict": flag,
                "parameters": [
                  "type": "object", "properties": ["city": ["type": "string", "enum": tags.parameterValue]],
                  "required": ["city"],
                ],
              ],
            ]
          ],
        ], encoder: .json)
    },
    Shape("OpenAI: an embedding", ["model": "m", "input": ["a", "b"], "dimensions": 7, "user": nil]) {
      $0.request(
        $1, method: .post, parameters: ["model": "m", "input": tags, "dimensions": number, "user": none], encoder: .json
      )
    },
  ]

  static let slack: [Shape] = [
    Shape(
      "Slack: blocks",
      [
        "channel": "C1",
        "blocks": [
          ["type": "section", "text": ["type": "mrkdwn", "text": "a text", "verbatim": true]], ["type": "divider"],
        ],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "channel": "C1",
          "blocks": [
            ["type": "section", "text": ["type": "mrkdwn", "text": text, "verbatim": flag]], ["type": "divider"],
          ],
        ], encoder: .json)
    },
    Shape(
      "Slack: a dialog",
      [
        "trigger_id": "a text",
        "view": ["type": "modal", "title": ["type": "plain_text", "text": "a text", "emoji": true]],
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "trigger_id": text, "view": ["type": "modal", "title": ["type": "plain_text", "text": text, "emoji": flag]],
        ], encoder: .json)
    },
    Shape(
      "Slack: an attachment",
      ["text": "a text", "attachments": [["color": "#fff", "ts": 7, "mrkdwn_in": ["a", "b"]]]]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "text": text, "attachments": [["color": "#fff", "ts": number, "mrkdwn_in": tags.parameterValue]],
        ], encoder: .json)
    },
  ]

  static let elasticsearch: [Shape] = [
    Shape(
      "Elasticsearch: a search",
      [
        "query": [
          "bool": [
            "must": [["match": ["title": "a text"]], ["range": ["date": ["gte": 7, "lt": "now"]]]],
            "filter": ["term": ["open": true]],
          ]
        ], "size": 7, "from": 0,
      ]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "query": [
            "bool": [
              "must": [["match": ["title": text]], ["range": ["date": ["gte": number, "lt": "now"]]]],
              "filter": ["term": ["open": flag]],
            ]
          ], "size": number, "from": 0,
        ], encoder: .json)
    },
    Shape(
      "Elasticsearch: a sort of several types",
      ["query": ["match_all": [:]], "sort": ["_score", ["date": ["order": "desc"]]], "search_after": ["a", "b"]]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "query": ["match_all": [:]], "sort": ["_score", ["date": ["order": "desc"]]],
          "search_after": tags.parameterValue,
        ], encoder: .json)
    },
    Shape(
      "Elasticsearch: aggregations",
      ["size": 0, "aggs": ["by": ["terms": ["field": "a text", "size": 7], "aggs": ["p": ["avg": ["field": "p"]]]]]]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "size": 0,
          "aggs": ["by": ["terms": ["field": text, "size": number], "aggs": ["p": ["avg": ["field": "p"]]]]],
        ], encoder: .json)
    },
    Shape(
      "Elasticsearch: a geographical filter",
      ["query": ["geo_distance": ["distance": "7km", "location": ["lat": 12.5, "lon": 1]]], "explain": true]
    ) {
      $0.request(
        $1, method: .post,
        parameters: [
          "query": ["geo_distance": ["distance": "\(number)km", "location": ["lat": price, "lon": 1]]], "explain": flag,
        ], encoder: .json)
    },
  ]
}
