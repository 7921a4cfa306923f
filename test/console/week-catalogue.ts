// The catalogue of a small gateway for its pages' pictures: three simulated providers and a machine of its own that fails now and then.

/** A third of the calls of house-model meets a failing upstream model, and one in 13 of gpt-5-mini. */
export const WEEK_CATALOGUE = `
[server]
listen = "127.0.0.1:8080"

# Google, by way of the simulator.
[staff]
support_credit_usd = 20

[[providers]]
name = "google"
protocol = "gemini"
base_url = "simulator"
cooldown_ms = 1

[[providers]]
name = "anthropic"
protocol = "anthropic"
base_url = "simulator"
cooldown_ms = 1

[[providers]]
name = "openai"
protocol = "openai"
base_url = "simulator"
cooldown_ms = 1

# The machine under the desk.
[[providers]]
name = "attic"
protocol = "openai"
base_url = "simulator"
cooldown_ms = 1

[[models]]
id = "gemini-2.5-flash"
display_name = "Gemini 2.5 Flash"
kind = "text"
context = 1_048_576
max_output_tokens = 65_536
routes = [{ provider = "google", model = "flash-slow-90-tokens-400", cost = { input = 0.20, output = 1.70 } }]
price = { input = 0.30, output = 2.50, cache_read = 0.03, audio = 1.00 }

[[models]]
id = "claude-sonnet-4-5"
display_name = "Claude Sonnet 4.5"
kind = "text"
context = 200_000
max_output_tokens = 64_000
routes = [{ provider = "anthropic", model = "claude-cache-slow-160-tokens-500", cost = { input = 2.40, output = 12.00 } }]
price = { input = 3.00, output = 15.00, cache_read = 0.30 }

[[models]]
id = "gpt-5-mini"
display_name = "GPT-5 mini"
kind = "text"
context = 400_000
max_output_tokens = 128_000
price = { input = 0.25, output = 2.00, cache_read = 0.025 }

[[models.routes]]
provider = "openai"
model = "gpt-slow-120-tokens-300"
weight = 12

[[models.routes]]
provider = "openai"
model = "gpt-fail-503"

# On our own machine, and at Google when that fails.
[[models]]
id = "house-model"
kind = "text"
context = 32_768
price = { input = 0.05, output = 0.20 }

[[models.routes]]
provider = "attic"
model = "qwen-slow-60"
weight = 2

[[models.routes]]
provider = "attic"
model = "qwen-fail-429"

[[models.routes]]
provider = "google"
model = "flash-slow-90-tokens-400"
order = 1

[[models]]
id = "early-preview"
kind = "text"
routes = [{ provider = "openai", model = "gpt-break-4" }]
price = { input = 1.25, output = 10.00 }

[[models]]
id = "text-embedding-3-small"
kind = "embedding"
routes = [{ provider = "openai", model = "embedding" }]
price = { input = 0.02 }

[[models]]
id = "gemini-2.5-flash-image"
display_name = "Gemini 2.5 Flash Image"
kind = "image"
max_n_per_request = 4
routes = [{ provider = "google", model = "image" }]
price = { per_image = 0.039 }

[[price_groups]]
name = "resellers"
factor = 0.8
models = { "gpt-*" = { factor = 0.9 }, "early-preview" = { factor = 1 } }

[[price_groups]]
name = "own team"
factor = 0.1

[limits.account]
requests_per_minute = 6_000
concurrent_calls = 100
`
