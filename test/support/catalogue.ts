// Owns the catalogue of scenarios: one model of each sort that a rule is about, at prices that are easy to reckon with.

/** What the gateway shows to the vendor; must appear nowhere else. */
export const PROVIDER_KEYS = ['vendor-secret-one', 'vendor-secret-two'] as const

/** The text model that most scenarios call. USD per million tokens: input 1, output 4, cached 0.1, image output 30. */
export const MODEL = 'test-model'
/** Dearer above 1,000 prompt tokens: input 2 and output 8 instead of 1 and 4. */
export const TIERED = 'test-tiered'
/** Thoughts cost 3, sound read costs 5. */
export const THINKING = 'test-thinking'
export const RETIRED = 'test-retired'
/** Made for images: not to be had through a text surface. */
export const PICTURE = 'test-picture'
/** The vendor's own name for every model. */
export const UPSTREAM_MODEL = 'vendor-model-1'

export interface CatalogueParts {
  /** `simulator`, or an address without a trailing slash. */
  upstream_url: string
  /** Lines of `[server]`. */
  server?: string
  /** Lines of the provider. */
  provider?: string
  api_keys?: readonly string[]
  /** Further sections: limits, providers, models. */
  more?: string
}

/** A catalogue in TOML, of one provider named `vendor`. */
export function catalogueOf({
  upstream_url,
  server = '',
  provider = '',
  api_keys = PROVIDER_KEYS.slice(0, 1),
  more = '',
}: CatalogueParts): string {
  const route = `routes = [{ provider = "vendor", model = "${UPSTREAM_MODEL}" }]`
  return `
[server]
log_level = "debug"
ledger_writer = "inline"
${server}

[[providers]]
name = "vendor"
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
