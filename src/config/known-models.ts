// Well-known providers, and models of theirs at list price: starting values, which the operator looks at and confirms.

/**
 * A text model as its provider sells it. Left to the catalogue page: models whose price depends on the prompt's length, is about
 * to change, or that are about to be shut down.
 */
export interface KnownModel {
  /** The provider's own name of it. */
  model: string
  /** USD per million tokens, as the provider lists them. */
  input: string
  output: string
  cache_read?: string
  context: number
  max_output_tokens: number
}

export interface KnownProvider {
  title: string
  /** The name that it gets in the catalogue. */
  name: string
  protocol: 'gemini' | 'anthropic' | 'openai'
  /** Empty if the operator must say it. */
  base_url: string
  /** The page where its keys are made; empty if not known. */
  keys_url: string
  /** The page of its prices; empty if not known. */
  prices_url: string
  takes_key: 'yes' | 'maybe' | 'no'
  models: readonly KnownModel[]
}

/** The month in which the prices below stood on the providers' pages, and the models were not to be shut down. */
export const PRICES_AS_OF = 'October 2026'

export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  {
    title: 'Google Gemini',
    name: 'google',
    protocol: 'gemini',
    base_url: 'https://generativelanguage.googleapis.com',
    keys_url: 'https://aistudio.google.com/apikey',
    prices_url: 'https://ai.google.dev/gemini-api/docs/pricing',
    takes_key: 'yes',
    models: [
      known('gemini-3.5-flash-lite', ['0.30', '2.50', '0.03'], 1_048_576, 65_536),
      known('gemini-2.5-flash-lite', ['0.10', '0.40', '0.01'], 1_048_576, 65_536),
    ],
  },
  {
    title: 'Anthropic',
    name: 'anthropic',
    protocol: 'anthropic',
    base_url: 'https://api.anthropic.com',
    keys_url: 'https://platform.claude.com/settings/keys',
    prices_url: 'https://platform.claude.com/docs/en/about-claude/pricing',
    takes_key: 'yes',
    models: [
      known('claude-sonnet-5-5', ['2.00', '10.00', '0.20'], 1_000_000, 128_000),
      known('claude-opus-5-5', ['4.00', '20.00', '0.20'], 1_000_000, 128_000),
      known('claude-haiku-4-5', ['1.00', '5.00', '0.10'], 200_000, 64_000),
    ],
  },
  {
    title: 'OpenAI',
    name: 'openai',
    protocol: 'openai',
    base_url: 'https://api.openai.com/v1',
    keys_url: 'https://platform.openai.com/api-keys',
    prices_url: 'https://developers.openai.com/api/docs/pricing',
    takes_key: 'yes',
    models: [known('gpt-5.4-mini', ['0.75', '4.50', '0.075'], 400_000, 128_000)],
  },
  {
    title: 'Another server',
    name: 'local',
    protocol: 'openai',
    base_url: '',
    keys_url: '',
    prices_url: '',
    takes_key: 'maybe',
    models: [],
  },
  {
    title: 'Simulator',
    name: 'simulator',
    protocol: 'gemini',
    base_url: 'simulator',
    keys_url: '',
    prices_url: '',
    takes_key: 'no',
    models: [known('flash', ['0.30', '2.50'], 1_048_576, 8_192)],
  },
]

/** What a provider listed for a model of its own; undefined for others, and for simulated ones. */
export const listedPrice = (base_url: string, model: string): KnownModel | undefined =>
  KNOWN_PROVIDERS.find((known) => known.base_url === base_url && known.prices_url !== '')?.models.find(
    (one) => one.model === model,
  )

function known(
  model: string,
  [input, output, cache_read]: readonly [string, string, string?],
  context: number,
  max_output_tokens: number,
): KnownModel {
  const price = cache_read === undefined ? { input, output } : { input, output, cache_read }
  return { model, ...price, context, max_output_tokens }
}
