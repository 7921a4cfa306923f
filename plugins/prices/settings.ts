// The settings of prices in [catalogue]: the markup for proposed prices.
import { type Static, Type } from '@sinclair/typebox'
import { MARKUP_MUST, markupFactor } from '../../src/catalogue/markup.ts'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'

const MarkupSchema = Type.Object(
  {
    markup: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.String()], {
        must: MARKUP_MUST,
        description: 'per cent on top of the cost: prices are proposed at cost plus this, and imported so',
      }),
    ),
  },
  closed,
)

interface PriceSettings {
  /** Per cent on top of a cost, as written: `25`, `12.5`. Undefined if not set. */
  readonly markup: string | undefined
}

function readSettings({ markup }: Static<typeof MarkupSchema>, { report }: SectionContext): PriceSettings {
  if (markup !== undefined && !markupFactor(markup)) report(['catalogue', 'markup'], `must be ${MARKUP_MUST}`)
  return { markup: markup === undefined ? undefined : String(markup).trim() }
}

export const priceSettings = defineSection({ name: 'catalogue', schema: MarkupSchema, read: readSettings })
