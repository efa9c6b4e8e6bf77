// The data of the page: blocks of gzip in base64, each in a script element of a type that no browser runs.
//
// Base64 has no "<", so nothing a node is called can end the element or start another.

/** The bytes of one block. */
export async function decodeBlock(text) {
  const packed = bytesOf(text.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** All blocks of a document by name; each is unpacked when first asked for, and once. */
export class Payload {
  constructor(root) {
    this.elements = new Map();
    for (const element of root.querySelectorAll("script[data-block]")) {
      this.elements.set(element.dataset.block, element);
    }
    this.unpacked = new Map();
  }

  has(name) {
    return this.elements.has(name);
  }

  bytes(name) {
    if (!this.unpacked.has(name)) {
      if (!this.has(name)) throw new Error(`The page has no block named ${name}.`);
      const element = this.elements.get(name);
      this.unpacked.set(name, decodeBlock(element.textContent));
      element.textContent = ""; // the text is several times as large as what it holds
    }
    return this.unpacked.get(name);
  }

  async json(name) {
    return JSON.parse(new TextDecoder().decode(await this.bytes(name)));
  }

  async array(name, type) {
    const bytes = await this.bytes(name);
    return new type(bytes.buffer, bytes.byteOffset, bytes.byteLength / type.BYTES_PER_ELEMENT);
  }
}

function bytesOf(base64) {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(base64);
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
