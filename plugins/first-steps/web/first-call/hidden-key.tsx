// A key without its text, after a reload of the page, and the way to another key.
import { Plus } from 'lucide-react'
import { Button } from '../../../console/web/parts/button.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import type { FirstCall } from './wait-for-call.tsx'

export function HiddenKey({ of: key, onMakeKey }: { of: FirstCall['key']; onMakeKey: () => void }) {
  const is_usable = key.status === 'active' || key.status === 'retiring'
  return (
    <div className="stack">
      <Notice tone={is_usable ? 'info' : 'warn'}>
        {is_usable ? (
          <>
            Use the key <b>{key.name}</b> (<code>{key.prefix}…</code>) of {key.account}. It was shown only
            once. If you did not copy it, create another key.
          </>
        ) : (
          <>
            The key <b>{key.name}</b> (<code>{key.prefix}…</code>) is {key.status}. Create another key.
          </>
        )}
      </Notice>
      <div>
        <Button icon={Plus} onClick={onMakeKey}>
          Create another key
        </Button>
      </div>
    </div>
  )
}
