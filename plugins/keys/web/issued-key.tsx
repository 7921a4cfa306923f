// A new key: its text, shown only once, and sample code of a first call.
import { useBaseUrl } from '../../console/web/app/session.tsx'
import { Secret } from '../../console/web/parts/code.tsx'
import { samplesOf } from '../../console/web/parts/code-samples/samples.ts'
import { DialogDone } from '../../console/web/parts/dialog.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Snippet } from '../../console/web/parts/snippet.tsx'
import type { Issued } from '../console/views.ts'

export function IssuedKey({ issued, onDone }: { issued: Issued; onDone: () => void }) {
  const { text, unmatched, sample_model } = issued
  const base_url = useBaseUrl()
  return (
    <div className="stack">
      <Notice tone="warn">
        <p>Copy the key now. It is shown only once.</p>
      </Notice>
      <Secret value={text} />
      {unmatched.length > 0 && (
        <Notice tone="warn">No model in the catalogue matches {unmatched.join(', ')} yet.</Notice>
      )}
      {sample_model !== null && (
        <>
          <h3>First call</h3>
          <Snippet samples={samplesOf('OpenAI', { base_url, key: text, model: sample_model })} />
        </>
      )}
      <DialogDone onDone={onDone} />
    </div>
  )
}
