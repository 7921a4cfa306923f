// The catalogue of most tests: one model for each kind of rule, with prices that are easy to compute with.

/** The gateway's keys for providers; they must appear nowhere else. */
export const PROVIDER_KEYS = ['provider-secret-one', 'provider-secret-two'] as const
/** The only provider, which speaks Gemini's protocol. */
export const PROVIDER = 'provider-one'

/** The text model that most tests call. USD per million tokens: input 1, output 4, cached 0.1, image output 30. */
export const MODEL = 'test-model'
/** Above 1,000 prompt tokens input costs 2 and output 8, below 1 and 4. */
export const TIERED = 'test-tiered'
/** Thinking costs 3, audio input 5. */
export const THINKING = 'test-thinking'
export const RETIRED = 'test-retired'
/** An image model. */
export const PICTURE = 'test-picture'
/** The provider's own name for every model. */
export const UPSTREAM_MODEL = 'upstream-model-1'

export interface CatalogueParts {
  /** `simulator`, or an address without a trailing slash. */
  upstream_url: string
  /** Lines of `[server]`. */
  server?: string | undefined
  /** Lines of the provider. */
  provider?: string | undefined
  api_keys?: readonly string[] | undefined
  /** Further sections: limits, providers, models. */
  more?: string | undefined
}

/** The catalogue in TOML. */
export function catalogueOf({
  upstream_url,
  server = '',
  provider = '',
  api_keys = PROVIDER_KEYS.slice(0, 1),
  more = '',
}: CatalogueParts): string {
  const route = `routes = [{ provider = "${PROVIDER}", model = "${UPSTREAM_MODEL}" }]`
  return `
[server]
log_level = "debug"
${server}

[[providers]]
name = "${PROVIDER}"
protocol = "gemini"
base_url = "${upstream_url}"
api_keys = ${JSON.stringify(api_keys)}
${provider}

[[models]]
id = "${MODEL}"
kind = "text"
max_output_tokens = 8192
${route}
price = { input = 1, output = 4, cache_read = 0.1, image_output = 30 }

[[models]]
id = "${TIERED}"
kind = "text"
${route}
price = { input = 1, output = 4, tiers = [{ above = 1000, input = 2, output = 8 }] }

[[models]]
id = "${THINKING}"
kind = "text"
${route}
price = { input = 1, output = 4, thinking = 3, audio = 5 }

[[models]]
id = "${RETIRED}"
kind = "text"
retired = true
${route}
price = { input = 1, output = 4 }

[[models]]
id = "${PICTURE}"
kind = "image"
${route}
price = { per_image = 0.04 }

${more}
`
}
