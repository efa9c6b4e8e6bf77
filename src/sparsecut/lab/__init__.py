"""The paper's other systems and its experiments, under the contract of the library, which never imports them."""
