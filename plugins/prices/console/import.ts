// The import of a price list in the console. The result is a draft, which the operator reviews and saves like any other.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { announcedBytes, readBytes } from '../../../src/http/body.ts'
import { warningsOf } from '../commands/import-text.ts'
import { AT_COST, badDraft, MAX_LIST_BYTES, markupOf, requireMarkup, requireValid } from '../list/draft.ts'
import { readPriceList } from '../list/list.ts'
import { planImport } from '../list/plan.ts'

const DraftView = Type.Object({
  text: Type.String({ description: 'text of the catalogue with these prices' }),
  hash: Type.String({ description: 'hash of the file that the draft changes' }),
  changes: Type.Integer({ description: 'number of changed costs, prices and shutdown dates' }),
  warnings: Type.Array(Type.String()),
  left: Type.Array(
    Type.Object({
      model: Type.String(),
      provider: Type.String(),
      reason: Type.String({ description: 'the reason why its price does not change' }),
    }),
  ),
})

/** `POST /console/api/prices/import`, for the operator: the body is the list. It saves nothing. */
export const importRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-price-import' }).use(operatorCalls(gateway, { bodies: 'own' })).post(
    '/console/api/prices/import',
    async ({ request }) => {
      announcedBytes(request, MAX_LIST_BYTES)
      const bytes = await readBytes(request, MAX_LIST_BYTES)
      return await draftOf(new TextDecoder().decode(bytes), gateway)
    },
    { parse: 'none', response: { 200: DraftView, ...FAILURES } },
  )

/** @throws GatewayError invalid_request if the text is no price list, or prices have no markup */
async function draftOf(
  written: string,
  { calls, operations: { configuration } }: Gateway,
): Promise<Static<typeof DraftView>> {
  const list = readPriceList(written)
  const { text, values, hash } = requireValid(await configuration.read())
  const markup = markupOf(calls.catalogue())
  const choice = { isModel: () => true, provider: undefined, from: undefined, markup: markup ?? AT_COST }
  const plan = planImport(values, list, choice)
  requireMarkup(plan, markup, 'page')
  const drafted = await configuration.check({ text, edits: [...plan.edits.values()].flat() })
  const [mistake] = drafted.mistakes
  if (mistake) throw badDraft(mistake, 'page')
  return {
    text: drafted.text,
    hash,
    changes: plan.changes.length + plan.ends.length,
    warnings: warningsOf(plan, list, calls.now()),
    left: plan.left.map(({ model, provider, reason }) => ({ model, provider, reason })),
  }
}
