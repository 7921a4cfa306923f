// The price of images before they are generated: the server's quote for the request.
import { api } from '../../console/web/app/client.ts'
import { useAsk } from '../../console/web/app/query.ts'
import { counted, exactUsd } from '../../console/web/parts/amounts.ts'
import { names } from '../../console/web/parts/class-names.ts'
import { useSettled } from '../../console/web/parts/settled.ts'
import type { ImageRequest } from './generation.ts'

/** A half-typed size has no price. */
const WHOLE_SIZE = /^(|auto|[1-9]\d*x[1-9]\d*)$/

export function ImageQuote({ request }: { request: ImageRequest }) {
  const { account, model, n, size, quality, references } = request
  const prompt = useSettled(request.prompt)
  const order = {
    model,
    prompt,
    n,
    size: size || undefined,
    quality: quality || undefined,
    references: references.length,
  }
  const { data, isPlaceholderData } = useAsk(
    ['play', 'quote', account, order],
    () => api.play.quote.post(order, { query: { account } }),
    { enabled: WHOLE_SIZE.test(size) },
  )
  if (!data || !WHOLE_SIZE.test(size)) return null
  return (
    <span className={names('small soft', isPlaceholderData && 'stale')}>
      {counted(n, 'image')}: {data.is_most && 'at most '}
      {exactUsd(data.held_nanos)} USD
    </span>
  )
}
