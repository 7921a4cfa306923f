// Cross-origin calls, around the whole application: what any route or failure answers can be read by the listed origins' pages.
import type { Catalogue } from '../domain/catalogue.ts'
import { allowedOrigin, allowReading, preflightAnswer } from '../http/cors.ts'

/** Its pages come with a cookie, and are for its own origin only. */
const isConsole = ({ url }: Request): boolean => /^[a-z]+:\/\/[^/]*\/+console(?:[/?#]|$)/i.test(url)

type Serve = (request: Request) => Response | Promise<Response>

/**
 * What serves a request: as it was served without this, where no origins are listed.
 *
 * @param serve the application, which Elysia hands to what wraps it
 */
export function crossOrigin(serve: Serve, catalogue: () => Catalogue): Serve {
  const listed = catalogue().server.cors_origins
  if (listed.length === 0) return serve
  return (request) => {
    const origin = isConsole(request) ? undefined : allowedOrigin(request, listed)
    if (origin === undefined) return serve(request)
    const preflight = preflightAnswer(request, origin)
    if (preflight) return preflight
    const answer = serve(request)
    return answer instanceof Promise
      ? answer.then((late) => allowReading(late, origin))
      : allowReading(answer, origin)
  }
}
