// The shadow bill: charged lines of the source rated at the imported prices, with reasons for differences. Pure.

import type { Catalogue, Model } from '../../src/domain/catalogue.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { NO_UNITS } from '../../src/domain/units.ts'
import { chargeImages, chargeTokens } from '../../src/money/pricing/charge.ts'
import { chargedExtras } from '../../src/money/pricing/extras.ts'
import { chargeImageTokens } from '../../src/money/pricing/image-tokens.ts'
import { chargeUnits } from '../../src/money/pricing/units.ts'
import { counted } from '../../src/utilities/counted.ts'
import type { ChargedLine, ShadowBillRow } from './move-in.ts'

const NOT_IMPORTED = 'no imported model has this name'

/** A difference above 1/100 of the charge counts. */
const TOLERATED_PART = 100

/** Rates each line as a call of the catalogue; 0 for a missing model. The model with the highest charges comes first. */
export async function rateLines(
  lines: AsyncIterable<ChargedLine>,
  { models }: Pick<Catalogue, 'models'>,
): Promise<ShadowBillRow[]> {
  const sums = new Map<string, ModelSum>()
  for await (const line of lines) {
    const sum = sums.get(line.model) ?? new ModelSum(line.model)
    sums.set(line.model, sum)
    sum.add(line, models.get(line.model))
  }
  return [...sums.values()]
    .map((sum) => sum.row())
    .toSorted((one, other) => other.charged_nanos - one.charged_nanos)
}

class ModelSum {
  readonly #model: string
  #count = 0
  #charged_nanos = 0
  #rated_nanos = 0
  #largest_nanos = 0
  readonly #reasons = new Map<string, number>()

  constructor(model: string) {
    this.#model = model
  }

  add(line: ChargedLine, model: Model | undefined): void {
    const rated_nanos = model ? ratedNanos(model, line) : 0
    const difference_nanos = Math.abs(rated_nanos - line.charged_nanos)
    this.#count += 1
    this.#charged_nanos += line.charged_nanos
    this.#rated_nanos += rated_nanos
    this.#largest_nanos = Math.max(this.#largest_nanos, difference_nanos)
    if (!differs(difference_nanos, line.charged_nanos)) return
    const reason = model ? reasonOf(line, difference_nanos) : NOT_IMPORTED
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
  }

  /** Lists rounding as a reason only if it adds up. */
  row(): ShadowBillRow {
    const difference_nanos = this.#rated_nanos - this.#charged_nanos
    const adds_up = differs(Math.abs(difference_nanos), this.#charged_nanos)
    const reasons = [...this.#reasons]
      .filter(([reason]) => adds_up || reason !== ROUNDING)
      .toSorted(([, one], [, other]) => other - one)
    return {
      model: this.#model,
      count: this.#count,
      charged_nanos: this.#charged_nanos,
      rated_nanos: this.#rated_nanos,
      difference_nanos,
      largest_difference_nanos: this.#largest_nanos,
      reasons: reasons.map(([reason, count]) => `${reason} in ${counted(count, 'line')}`),
    }
  }
}

const differs = (difference_nanos: Nanos, charged_nanos: Nanos): boolean =>
  BigInt(difference_nanos) * BigInt(TOLERATED_PART) > BigInt(charged_nanos)

const ROUNDING = 'each charge is rounded in the source'

function reasonOf(line: ChargedLine, difference_nanos: Nanos): string {
  const { rounded_to_nanos = 0, factors, usage } = line
  if (difference_nanos <= rounded_to_nanos) return ROUNDING
  if (factors.length > 0) return factors.join(', ')
  const has_cache = usage.cache_read_tokens + usage.cache_write_5m_tokens + usage.cache_write_1h_tokens > 0
  return has_cache ? 'tokens of a cache' : 'another price than now, or a unit that the log does not name'
}

/** Returns the cost of the call here. Includes only extras that every call has. */
function ratedNanos(model: Model, { usage, count }: ChargedLine): Nanos {
  const { price } = model
  switch (price.unit) {
    case 'token': {
      const always =
        price.extras && chargedExtras(price.extras, [], { units: () => undefined, complete: true })
      return chargeTokens(price, usage, always).cost_nanos
    }
    case 'image':
      return chargeImages(price, { count, size: undefined, quality: undefined }).cost_nanos
    case 'image_token': {
      // Other gateways log all output of an image model as answer tokens.
      const written = { ...usage, output_tokens: 0, output_image_tokens: usage.output_tokens }
      const tokens = { usage: written, image_input_tokens: 0, image_cache_read_tokens: 0 }
      return chargeImageTokens(price, tokens).cost_nanos
    }
    case 'unit': {
      const { input_tokens, input_audio_tokens, output_tokens } = usage
      const units = {
        ...NO_UNITS,
        characters: input_tokens,
        searches: count,
        input_tokens,
        input_audio_tokens,
      }
      return chargeUnits(price, { ...units, output_tokens }).cost_nanos
    }
  }
}
