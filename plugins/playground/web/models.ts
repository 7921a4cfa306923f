// The types of the playground's answer: the payer and the models.
import type { AnswerOf, api } from '../../console/web/app/client.ts'

/** The answer of GET /console/api/play. */
export type Play = AnswerOf<typeof api.play.get>
export type Payer = NonNullable<Play['payer']>
export type TextModel = Play['text_models'][number]
export type ImageModel = Play['image_models'][number]
/** A field of chat completions that a model may take. */
export type Parameter = TextModel['parameters'][number]
