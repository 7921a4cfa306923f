// The ratios of a model: from the settings, else from its newest charged line in the log, else from the program's defaults.
import { completionRuleOf, type DefaultRatios, defaultRatiosOf } from './default-ratios.ts'
import { type Fraction, fraction, ONE, parseFraction } from './fraction.ts'
import type { RatioTable, Settings } from './options.ts'
import type { Fields } from './values.ts'

export type Program = 'new-api' | 'one-api'

/** Ratios in lines of the log, by model (`logs.other` of new-api). */
export type RecordedRatios = ReadonlyMap<string, Fields>

/** A ratio, with a note about its origin. */
interface RatioWithNote {
  readonly ratio: Fraction
  readonly note?: string
}

export interface ModelRatios {
  /** USD per call, if the model is priced per call. */
  readonly per_call: RatioWithNote | undefined
  /** Units of `QuotaPerUnit` per token; undefined: the model has no price. */
  readonly model: RatioWithNote | undefined
  readonly completion: RatioWithNote
  readonly cache: Fraction
  readonly create_cache: Fraction
  readonly create_cache_1h: Fraction
  readonly image: Fraction
  readonly audio: Fraction
  readonly audio_completion: Fraction
}

/** new-api's default ratio of a cache write. A write to the one-hour cache costs 6 / 3.75 of it (relay/helper/price.go). */
const CREATE_CACHE = fraction('1.25')
const HOUR_CACHE = fraction('1.6')

const FROM_LOG = 'from its newest charged call, since no setting has it'
const BY_DEFAULT = "from the program's defaults, since no setting has it"

/** Finds the ratios of models. */
export class RatioBook {
  readonly #settings: Settings
  readonly #recorded: RecordedRatios
  readonly #program: Program
  readonly #defaults: DefaultRatios

  constructor(program: Program, settings: Settings, recorded: RecordedRatios) {
    this.#program = program
    this.#settings = settings
    this.#recorded = recorded
    this.#defaults = defaultRatiosOf(program)
  }

  /** @param type of a channel, for which one-api may have separate ratios, such as "llama3-8b-8192(33)" */
  of(model: string, type?: number): ModelRatios {
    const { cache_ratio, image_ratio, audio_ratio, audio_completion_ratio } = this.#settings
    const defaults = this.#defaults
    const create_cache = this.#createCache(model)
    return {
      per_call: this.#perCall(model),
      model: this.#modelRatio(model, type),
      completion: this.#completion(model, type),
      cache: this.#plain(model, cache_ratio, 'cache_ratio', defaults.cache_ratio),
      create_cache,
      create_cache_1h: {
        numerator: create_cache.numerator * this.#hour.numerator,
        denominator: create_cache.denominator * this.#hour.denominator,
      },
      image: this.#plain(model, image_ratio, 'image_ratio', defaults.image_ratio),
      audio: this.#plain(model, audio_ratio, 'audio_ratio', defaults.audio_ratio),
      audio_completion: this.#plain(
        model,
        audio_completion_ratio,
        'audio_completion_ratio',
        defaults.audio_completion_ratio,
      ),
    }
  }

  #recordedRatio(model: string, field: string): Fraction | undefined {
    const fields = this.#recorded.get(model)
    // new-api logs a cache ratio of 0 for calls without cached tokens, and a price of -1 for models not priced per call.
    if (!fields || (field === 'cache_ratio' && !Number(fields.cache_tokens))) return undefined
    return parseFraction(fields[field])
  }

  #perCall(model: string): RatioWithNote | undefined {
    const { model_price } = this.#settings
    const set = model_price?.get(model)
    if (set) return { ratio: set }
    if (model_price) return undefined
    const recorded = this.#recordedRatio(model, 'model_price')
    if (recorded && recorded.numerator > 0n) return { ratio: recorded, note: `price of a call ${FROM_LOG}` }
    const by_default = this.#defaults.model_price.get(model)
    return by_default && { ratio: by_default, note: `price of a call ${BY_DEFAULT}` }
  }

  #modelRatio(model: string, type: number | undefined): RatioWithNote | undefined {
    const { model_ratio } = this.#settings
    const set = ratioForType(model_ratio, model, type)
    if (set) return { ratio: set }
    const recorded = this.#recordedRatio(model, 'model_ratio')
    if (recorded && recorded.numerator > 0n) return { ratio: recorded, note: `model ratio ${FROM_LOG}` }
    // In new-api a settings row replaces the defaults; one-api uses the defaults for models missing in the row.
    if (model_ratio && this.#program === 'new-api') return undefined
    const by_default = this.#defaults.model_ratio.get(model)
    return by_default && { ratio: by_default, note: `model ratio ${BY_DEFAULT}` }
  }

  #completion(model: string, type: number | undefined): RatioWithNote {
    const rule = completionRuleOf(this.#program, model)
    const set = ratioForType(this.#settings.completion_ratio, model, type)
    if (rule.is_fixed && !(set && model.includes('/'))) return { ratio: rule.ratio }
    if (set) return { ratio: set }
    const recorded = this.#recordedRatio(model, 'completion_ratio')
    if (recorded) return { ratio: recorded, note: `completion ratio ${FROM_LOG}` }
    return { ratio: rule.ratio, note: `completion ratio ${BY_DEFAULT}` }
  }

  /** one-api charges cache writes like other input. */
  #createCache(model: string): Fraction {
    if (this.#program === 'one-api') return ONE
    return this.#settings.create_cache_ratio?.get(model) ?? CREATE_CACHE
  }

  get #hour(): Fraction {
    return this.#program === 'one-api' ? ONE : HOUR_CACHE
  }

  #plain(model: string, set: RatioTable | undefined, field: string, defaults: RatioTable): Fraction {
    return set?.get(model) ?? this.#recordedRatio(model, field) ?? (set ? ONE : (defaults.get(model) ?? ONE))
  }
}

/** Looks up a ratio as one-api does: relay/billing/ratio/model.go, GetModelRatio. */
const ratioForType = (
  table: RatioTable | undefined,
  model: string,
  type: number | undefined,
): Fraction | undefined => table?.get(`${model}(${type})`) ?? table?.get(model)
