// The worker of main.ts.
declare const self: Worker
self.onmessage = ({ data }) => self.postMessage(`${data} pong`)
