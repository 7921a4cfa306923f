// The public files of the brand: logo, icon, and the stylesheet with its colors.
import { Elysia } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { brandColors } from '../../src/domain/brand-colors.ts'
import { notFound } from '../../src/domain/errors.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { cachedBrandFiles } from './brand-files.ts'

const SURFACE = { surface: 'site', forms: [], render: plainError }

/**
 * An image that is opened on its own runs no script, loads nothing, and has an opaque origin, even a malicious SVG. Other sites may embed it, as
 * mails do.
 */
const GUARDS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=300',
}

const NONE = 'The operator has set no such file.'

/** `GET /brand/logo`, `/brand/icon` and `/brand/colors.css`: 404 if the operator has set none. */
export function brandRoutes({
  calls,
  requests,
  operations,
}: Pick<Gateway, 'calls' | 'requests' | 'operations'>) {
  const { catalogue, now, log } = calls
  const read = cachedBrandFiles(operations.data_folder, now)
  const hide = { detail: { hide: true } } as const
  /** The last problem of each file, so that repeated requests log it once. */
  const problems = new Map<string, string>()
  const serve = async (request: Request, name: string | undefined): Promise<Response> => {
    if (name === undefined) throw notFound(NONE)
    const reading = await read(name)
    if (!('problem' in reading)) {
      problems.delete(name)
      return answer(request, reading)
    }
    const { problem } = reading
    if (problems.get(name) !== problem) log.warn({ problem }, 'a file of the brand is not shown')
    problems.set(name, problem)
    throw notFound(NONE)
  }
  return new Elysia({ name: 'brand-files' })
    .use(openCalls({ calls, requests }, SURFACE))
    .get('/brand/logo', ({ request }) => serve(request, catalogue().brand.logo), hide)
    .get('/brand/icon', ({ request }) => serve(request, catalogue().brand.icon), hide)
    .get(
      '/brand/colors.css',
      ({ request }) => {
        const { color } = catalogue().brand
        if (color === undefined) throw notFound(NONE)
        const text = colorsCss(color)
        return answer(request, { type: 'text/css; charset=utf-8', bytes: text, etag: `"${color.slice(1)}"` })
      },
      hide,
    )
}

function answer(
  request: Request,
  { type, bytes, etag }: { type: string; bytes: Uint8Array<ArrayBuffer> | string; etag: string },
): Response {
  const headers = { ...GUARDS, etag }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  return new Response(bytes, { headers: { ...headers, 'content-type': type } })
}

/** Sets the custom properties that the stylesheets of the pages and of the API reference use. */
function colorsCss(color: string): string {
  const { accent, soft, fill, fill_hover, on_fill } = brandColors(color)
  const both = ({ light, dark }: { light: string; dark: string }) => `light-dark(${light}, ${dark})`
  return `:root {
  --accent: ${both(accent)};
  --accent-soft: ${both(soft)};
  --accent-fill: ${both(fill)};
  --accent-fill-hover: ${both(fill_hover)};
  --on-fill: ${both(on_fill)};
}
body.light-mode {
  --scalar-color-accent: ${accent.light};
}
body.dark-mode {
  --scalar-color-accent: ${accent.dark};
}
`
}
