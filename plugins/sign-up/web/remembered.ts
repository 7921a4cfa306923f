// The code of the visitor's referral link, remembered in this tab until they have signed up.
const KEY = 'tollgate-ref'
const CODE = /^[0-9a-z]{1,40}$/

/** Reads the code from the address of the page. The first link counts; a later one is ignored. */
export function rememberReferral(): void {
  const code = new URLSearchParams(location.search).get('ref')
  if (code === null || !CODE.test(code)) return
  try {
    if (sessionStorage.getItem(KEY) === null) sessionStorage.setItem(KEY, code)
  } catch {
    // Ignored: the browser stores nothing for pages. The mailed link has the code.
  }
}

export function rememberedReferral(): { ref?: string } {
  try {
    const ref = sessionStorage.getItem(KEY) ?? new URLSearchParams(location.search).get('ref')
    return ref !== null && CODE.test(ref) ? { ref } : {}
  } catch {
    // Ignored, as above.
    return {}
  }
}
