// Whether a model has a provider that speaks the responses protocol itself, and so is sent requests as they came.
import type { Catalogue, Model } from '../../src/domain/catalogue.ts'
import { responses } from '../../src/protocols/openai/responses/index.ts'

export const hasOwnProvider = ({ providers }: Catalogue, { routes }: Model): boolean =>
  routes.some(({ provider }) => {
    const found = providers.get(provider)
    return found !== undefined && responses.spokenBy?.(found) === true
  })
