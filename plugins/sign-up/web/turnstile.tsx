// The Turnstile widget. Its script comes from Cloudflare, which the content security policy of this page alone allows.
import { useEffect, useRef, useState } from 'react'
import { Notice } from '../../console/web/parts/notice.tsx'

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

interface TurnstileApi {
  render(
    place: HTMLElement,
    options: {
      sitekey: string
      action: string
      callback: (token: string) => void
      'expired-callback': () => void
      'error-callback': () => void
    },
  ): string
  reset(id: string): void
  remove(id: string): void
}

declare global {
  interface Window {
    turnstile?: TurnstileApi
  }
}

interface TurnstileProps {
  site_key: string
  /** A new number resets the widget: each token works once. */
  attempt: number
  /** Called with null when the token has expired. */
  onToken: (token: string | null) => void
}

export function Turnstile({ site_key, attempt, onToken }: TurnstileProps) {
  const place = useRef<HTMLDivElement>(null)
  const widget = useRef<string | undefined>(undefined)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let is_unmounted = false
    loadScript().then(
      (turnstile) => {
        if (is_unmounted || !place.current) return
        widget.current = turnstile.render(place.current, {
          sitekey: site_key,
          action: 'sign_up',
          callback: (token) => {
            // The widget tries again by itself after an error.
            setFailed(false)
            onToken(token)
          },
          'expired-callback': () => onToken(null),
          'error-callback': () => setFailed(true),
        })
      },
      () => setFailed(true),
    )
    return () => {
      is_unmounted = true
      if (widget.current !== undefined) window.turnstile?.remove(widget.current)
    }
  }, [site_key, onToken])
  useEffect(() => {
    if (attempt > 0 && widget.current !== undefined) window.turnstile?.reset(widget.current)
  }, [attempt])
  return (
    <>
      <div ref={place} />
      {failed && (
        <Notice tone="warn" alert>
          The check by Cloudflare could not be loaded. Allow challenges.cloudflare.com in your browser, and
          reload this page.
        </Notice>
      )}
    </>
  )
}

function loadScript(): Promise<TurnstileApi> {
  if (window.turnstile) return Promise.resolve(window.turnstile)
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = SCRIPT
    script.onload = () => (window.turnstile ? resolve(window.turnstile) : reject(new Error('no Turnstile')))
    script.onerror = () => reject(new Error('no Turnstile'))
    document.head.append(script)
  })
}
