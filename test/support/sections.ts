// Builders of providers and models for catalogues, beyond the one in catalogue.ts.
import { PROVIDER_KEYS } from './catalogue.ts'

/** A provider. @param more further lines */
export const providerSection = (
  name: string,
  protocol: string,
  base_url: string,
  more = '',
  api_keys: readonly string[] = [PROVIDER_KEYS[0]],
): string => `
[[providers]]
name = "${name}"
protocol = "${protocol}"
base_url = "${base_url}"
api_keys = ${JSON.stringify(api_keys)}
${more}
`

interface ModelLines {
  kind?: string
  /** The contents of the braces of its price. */
  price?: string
  /** Further lines. */
  more?: string
}

/**
 * A model: of text, at USD 1 and 4 per million tokens, by default.
 * @param routes each provider's own name for it, in their order
 */
export const modelSection = (
  id: string,
  routes: Readonly<Record<string, string>>,
  { kind = 'text', price = 'input = 1, output = 4', more = '' }: ModelLines = {},
): string => `
[[models]]
id = "${id}"
kind = "${kind}"
routes = [${Object.entries(routes).map(([provider, model], order) => `{ provider = "${provider}", model = "${model}"${order > 0 ? `, order = ${order}` : ''} }`)}]
price = { ${price} }
${more}
`
