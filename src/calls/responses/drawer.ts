// Who draws for a response: the image model, and what its pictures are to look like.
import { type Catalogue, type ImageModel, isServed, type Model } from '../../domain/catalogue.ts'
import { parseSize } from '../../domain/image-size.ts'
import { refuseUnstorable } from '../../library/library.ts'
import { assertFormatFitsBackground, assertFormatIsCompressed } from '../../media/convert.ts'
import { parseDataUri } from '../../media/data-uri.ts'
import {
  DRAWING,
  type OfferedDrawing,
  offeredDrawing,
} from '../../protocols/openai/responses/drawing-tool.ts'
import { responses } from '../../protocols/openai/responses/index.ts'
import { isObject, refusal } from '../../protocols/wire/json.ts'
import { askedRoutes } from '../../upstream/routes.ts'
import { carryingFields } from '../kinds/image/carrying.ts'
import type { Source } from '../kinds/image/order.ts'
import type { OpenedText } from '../kinds/text/call.ts'
import { findModel } from '../life/admission.ts'
import type { Admitted } from '../life/call.ts'
import type { ExchangeParts } from '../parts.ts'
import type { PictureShape } from '../pictures/single.ts'
import type { ResponseParts } from './parts.ts'

export interface Drawer {
  offered: OfferedDrawing
  model: ImageModel
  shape: PictureShape
}

/**
 * Undefined where the tool is not offered, if nobody can draw, and where the text model's provider draws by itself, for a price.
 * @throws GatewayError invalid_request for a malformed tool, and for what its image model does not take; permission_denied if it names a model that the key may not call;
 * overloaded where images cannot be decoded, or stored
 */
export async function drawerFor(
  { exchange, images }: Pick<ResponseParts, 'exchange' | 'images'>,
  { caller }: Pick<Admitted, 'caller'>,
  { body: { fields }, target }: OpenedText,
): Promise<Drawer | undefined> {
  const { tools } = fields
  if (!Array.isArray(tools) || !tools.some((tool) => isObject(tool) && tool.type === DRAWING))
    return undefined
  if (drawsByItself(exchange, exchange.catalogue().models.get(target.model_id))) return undefined
  const offered = offeredDrawing(tools)
  const model = offered && modelFor(exchange, { caller }, offered.asked.model ?? undefined)
  if (offered) assertQuality(offered, model)
  if (!offered || !model) return undefined
  await images.decoder.assertUsable()
  refuseUnstorable(images.library)
  const shape = shapeOf(offered)
  // Known now: a turn of the text model that asks for what cannot be drawn would be paid for nothing.
  await carryingFields(exchange, model, shape)
  return { offered, model, shape }
}

/** Whether a model has a provider that speaks the responses protocol itself, and so is sent requests as they came. */
export const hasOwnProvider = (catalogue: Catalogue, model: Model): boolean =>
  askedRoutes(catalogue, model).some(({ provider }) => responses.spokenBy?.(provider) === true)

const drawsByItself = ({ catalogue }: Pick<ExchangeParts, 'catalogue'>, model: Model | undefined): boolean =>
  model?.kind === 'text' && model.price.extras?.has(DRAWING) === true && hasOwnProvider(catalogue(), model)

/** Names of OpenAI's own models, which SDKs send by default, are no more than a wish here. */
function modelFor(
  { catalogue }: Pick<ExchangeParts, 'catalogue'>,
  { caller }: Pick<Admitted, 'caller'>,
  named: string | undefined,
): ImageModel | undefined {
  const { models, responses: settings } = catalogue()
  if (named !== undefined && models.get(named)?.kind === 'image')
    return findModel({ catalogue }, { caller }, named, 'image')
  const mayDraw = (model: Model | undefined): model is ImageModel =>
    model?.kind === 'image' && isServed(model) && caller.mayCall(model.id)
  const preferred = settings.image_model === undefined ? undefined : models.get(settings.image_model)
  return mayDraw(preferred) ? preferred : models.values().find(mayDraw)
}

const QUALITIES: readonly string[] = ['auto', 'low', 'medium', 'high']

/** @throws GatewayError invalid_request for a quality that the image model does not have; some have more than all have, as their entries say */
function assertQuality({ asked: { quality }, at }: OfferedDrawing, model: ImageModel | undefined): void {
  const allowed = [...QUALITIES, ...(model?.qualities ?? [])]
  if (typeof quality === 'string' && !allowed.includes(quality))
    throw refusal(`${at}.quality`, `must be one of ${allowed.join(', ')}.`)
}

function shapeOf({ asked, mask, at }: OfferedDrawing): PictureShape {
  const { size, quality, background, output_format, output_compression, input_fidelity, moderation } = asked
  const parsed = size ? parseSize(size) : 'auto'
  const shape = {
    size_text: size ?? undefined,
    size: parsed === 'auto' ? undefined : parsed,
    quality: quality ?? undefined,
    background: background ?? undefined,
    output_format: output_format ?? undefined,
    output_compression: output_compression ?? undefined,
    input_fidelity: input_fidelity ?? undefined,
    moderation: moderation ?? undefined,
  }
  assertFormatFitsBackground(shape)
  assertFormatIsCompressed(shape)
  return mask === undefined
    ? shape
    : { ...shape, mask_source: maskOf(mask, `${at}.input_image_mask.image_url`) }
}

/** What it must be to mask the image, its size and alpha, is checked once the image is found. */
function maskOf(text: string, at: string): Source {
  const is_png = text.startsWith('data:image/png;') && parseDataUri(text) !== undefined
  if (!is_png) throw refusal(at, 'must be a PNG as a data URI, transparent where the image is to change.')
  return { kind: 'inline', text }
}
