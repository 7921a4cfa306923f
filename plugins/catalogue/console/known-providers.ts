// Well-known providers and their models at list prices, for forms that add a provider or model.
import { Type } from '@sinclair/typebox'
import { KNOWN_PROVIDERS, PRICES_AS_OF } from '../../../src/catalogue/known-models.ts'
import { SERVED_PROTOCOLS, SERVER_FIELDS } from '../../../src/domain/servers/known-server.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'

const Usd = Type.String({ maxLength: 32, description: 'USD as a decimal number' })

const KnownModelView = Closed({
  model: Type.String(),
  input: Usd,
  output: Usd,
  cache_read: Type.Optional(Usd),
  context: Type.Integer(),
  max_output_tokens: Type.Integer(),
})

const KnownProviderView = Closed({
  title: Type.String(),
  name: Type.String(),
  server: Nullable(Type.String({ description: 'name of the known server in the catalogue' })),
  protocols: Type.Array(OneOf([...SERVED_PROTOCOLS]), { description: 'the first is the usual one' }),
  fields: Type.Array(Closed({ name: OneOf([...SERVER_FIELDS]), label: Type.String(), help: Type.String() }), {
    description: 'the parts of its address',
  }),
  base_url: Type.String(),
  keys_url: Type.String(),
  prices_url: Type.String(),
  takes_key: OneOf(['yes', 'maybe', 'no']),
  takes_accounts: Type.Boolean({ description: 'whether keys are service account files' }),
  has_deployments: Type.Boolean({ description: 'whether the operator names the models (deployments)' }),
  model_help: Type.String(),
  models: Type.Array(KnownModelView),
})

export const KnownView = Closed({
  prices_as_of: Type.String({ description: 'the month of the list prices' }),
  known: Type.Array(KnownProviderView),
})

export const knownView = () => ({
  prices_as_of: PRICES_AS_OF,
  known: KNOWN_PROVIDERS.map((known) => ({
    ...known,
    protocols: [...known.protocols],
    fields: [...known.fields],
    models: [...known.models],
  })),
})
