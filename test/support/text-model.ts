// A text model as the catalogue has it, for tests without a gateway.
import type { TextModel } from '../../src/domain/catalogue.ts'
import { tokenPrice } from '../pricing/prices.ts'

export const TEXT_MODEL: TextModel = {
  id: 'asked',
  display_name: 'asked',
  retired: false,
  routes: [{ provider: 'provider', model: 'model', weight: 1, order: 0 }],
  kind: 'text',
  context: 1_000,
  max_output_tokens: 1_000,
  unknown_fields: 'pass',
  cached_content: 'pass',
  price: tokenPrice({ input: 1, output: 4 }),
}
