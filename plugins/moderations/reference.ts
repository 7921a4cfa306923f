// Moderations in the API reference.
import { json, PAID_HEADERS, type Reference } from '../../src/app/reference/operation.ts'
import { PICTURE_URI } from '../../src/app/reference/samples.ts'
import {
  ANSWERED_MODEL,
  anyObject,
  asIn,
  either,
  list,
  OPENAI,
  object,
  text,
} from '../../src/app/reference/schema.ts'

const MODERATION = `${OPENAI}/moderations/create`
const SKY = 'The sky is blue.'
const picture = { type: 'image_url', image_url: { url: PICTURE_URI } }

export const reference: Reference = {
  tag: 'Moderations and rerank',
  operations: [
    {
      route: 'POST /v1/moderations',
      id: 'createModeration',
      summary: 'Moderate texts and images',
      body: json(
        asIn(MODERATION, {
          'model?': text('The name of a moderation model; without it, the first that the key may call.'),
          input: either(
            'The content to moderate.',
            text('One text.'),
            list(text(), 'Several texts, each moderated by itself.'),
            list(
              object({
                type: text('`text` or `image_url`.'),
                'text?': text('Of `text`.'),
                'image_url?': object({ 'url?': text('A public https address, or a data URI.') }),
              }),
              'Texts and images, moderated together.',
            ),
          ),
        }),
        {
          'A text': { model: 'sim-moderation', input: SKY },
          'A text and a picture': { input: [{ type: 'text', text: SKY }, picture] },
        },
      ),
      answer: 'The results.',
      headers: PAID_HEADERS,
      content: json(
        asIn(MODERATION, {
          'id?': text('An id.'),
          'model?': ANSWERED_MODEL,
          results: list(
            anyObject(
              '`flagged`: whether the input violates a category; `categories`: which ones; `category_scores`: a score from 0 to 1 for each.',
            ),
            'One for each input.',
          ),
        }),
      ),
    },
  ],
}
