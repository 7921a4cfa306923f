// The check for models that a provider has retired or will retire soon.

import { type Diagnosis, diagnosesOf, type ReadContext } from '../../../src/app/checks/check.ts'
import { endingsOf, endingText, WARNED_DAYS } from '../../../src/domain/model-ends.ts'

const { ok, warn } = diagnosesOf('models')

const OF_MODEL =
  'Tell its callers (`GET /v1/models` shows the date), add a route to its replacement, or set `retired = true` once nobody calls it.'
const OF_ROUTE = 'Remove the route, or point it to the replacement; the model keeps its other routes.'

export function checkModels({ catalogue, now }: Pick<ReadContext, 'catalogue' | 'now'>): Diagnosis[] {
  const endings = endingsOf(catalogue.models.values(), now())
  if (endings.length === 0)
    return [ok(`no model ends within ${WARNED_DAYS} days, by the dates in the catalogue`)]
  return endings.map((ending) => warn(endingText(ending), ending.route ? OF_ROUTE : OF_MODEL))
}
